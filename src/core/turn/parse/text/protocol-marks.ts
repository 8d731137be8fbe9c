/** Protocol marks: the strings by which text is taken for tool protocol, before anything of it is read. Rules: TP57, TP58. */

const MARKS = [
  "<tool_call",
  "<toolcall",
  "<tool-call",
  "<tools>",
  "<invoke",
  "<functioncall",
  "<function_call",
  "[tool_call]",
] as const;
const FENCES = ["```tool_call", "```toolcall", "```tool-call", "```invoke"] as const;
const NAMED_FENCE = /^```tool(?=\s)[^\n\r\u2028\u2029]/;

/** Expects lower-cased text, as all three do. */
export const startsToolFence = (lower: string): boolean =>
  FENCES.some((fence) => lower.startsWith(fence)) || NAMED_FENCE.test(lower);

export const startsProtocol = (lower: string): boolean =>
  startsToolFence(lower) || MARKS.some((mark) => lower.startsWith(mark));

const HELD_MARKS = [...MARKS, ...FENCES, "```tool "] as const;

export const holdsProtocolMark = (lower: string): boolean => HELD_MARKS.some((mark) => lower.includes(mark));

const ENVELOPE_SIGNS = ['"tool_calls"', '"toolcalls"', '"function_call"', '"tool_call_id"'] as const;

/** Keys without one of which a broken JSON text is no envelope. */
export const holdsEnvelopeSign = (lower: string): boolean => ENVELOPE_SIGNS.some((sign) => lower.includes(sign));

/** Code units of the longest mark or sign, at most. */
export const LONGEST_SIGN = 16;

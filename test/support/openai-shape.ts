/** An independent judge of OpenAI chat payloads: what a strict server of that protocol would refuse. Rules: HI1, HC10. */

type Json = { readonly [member: string]: unknown };

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const roles = new Set(["system", "user", "assistant", "tool"]);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFilledText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** Everything wrong with it, in reading order; nothing when a server would take it. */
export function findPayloadFaults(payload: unknown): readonly string[] {
  if (!isObject(payload)) return ["the payload is no object"];
  const { messages, tools } = payload;
  if (!Array.isArray(messages) || messages.length === 0) return ["messages must be a list that is not empty"];
  return [...toolListFaults(tools), ...messageFaults(messages), ...textFaults(payload)];
}

function toolListFaults(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ["tools must be left out or not empty"];
  const names = tools.map((tool) => (isObject(tool) && isObject(tool["function"]) ? tool["function"]["name"] : tool));
  const illegal = names.filter((name) => typeof name !== "string" || !namePattern.test(name));
  const doubled = names.filter((name, at) => names.indexOf(name) !== at);
  return [
    ...illegal.map((name) => `illegal tool name ${String(name)}`),
    ...doubled.map((name) => `tool ${name} twice`),
  ];
}

function messageFaults(messages: readonly unknown[]): string[] {
  const faults: string[] = [];
  /** Calls of the last assistant message that have no result yet, in order. */
  let open: string[] = [];
  const used = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (!isObject(message) || !roles.has(String(message["role"]))) {
      faults.push(`${at}: no message with a known role`);
      continue;
    }
    const { role, content } = message;
    if (role === "tool") {
      if (message["tool_call_id"] !== open[0]) faults.push(`${at}: a result that is not the next open call's`);
      open = open.slice(1);
      if (typeof content !== "string") faults.push(`${at}: a result without text`);
      continue;
    }
    if (open.length > 0) faults.push(`${at}: ${open.length} calls without a result before it`);
    open = role === "assistant" ? callIds(message, faults, at) : [];
    for (const id of open) {
      if (used.has(id)) faults.push(`${at}: call id ${id} is used again`);
      used.add(id);
    }
    faults.push(...contentFaults(message, at, messages[at - 1]));
  }
  if (open.length > 0) faults.push(`the end: ${open.length} calls without a result`);
  return faults;
}

function callIds(message: Json, faults: string[], at: number): string[] {
  const { tool_calls: calls } = message;
  if (calls === undefined) return [];
  if (!Array.isArray(calls) || calls.length === 0) {
    faults.push(`${at}: an empty list of calls`);
    return [];
  }
  return calls.map((call: Json) => {
    const { name, arguments: text } = isObject(call["function"]) ? call["function"] : {};
    if (!idPattern.test(String(call["id"]))) faults.push(`${at}: illegal call id`);
    if (!namePattern.test(String(name))) faults.push(`${at}: illegal function name ${String(name)}`);
    if (!isArgumentText(text)) faults.push(`${at}: arguments that are no JSON object`);
    return String(call["id"]);
  });
}

function isArgumentText(text: unknown): boolean {
  try {
    return typeof text === "string" && isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function contentFaults({ role, content, tool_calls: calls }: Json, at: number, before: unknown): string[] {
  const faults: string[] = [];
  if (role === "system" && at > 0) faults.push(`${at}: a system message that is not the first`);
  if (isObject(before) && before["role"] === role) faults.push(`${at}: two ${String(role)} messages in a row`);
  const empty = Array.isArray(content) ? content.length === 0 : !isFilledText(content);
  if (empty && !(role === "assistant" && calls !== undefined)) faults.push(`${at}: an empty ${String(role)} message`);
  return faults;
}

/** No half of a surrogate pair anywhere: many servers refuse the whole request for it. */
function textFaults(payload: Json): string[] {
  const spelled = JSON.stringify(payload);
  return /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i.test(spelled)
    ? ["half a surrogate pair"]
    : [];
}

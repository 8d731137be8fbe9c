/** An independent judge of Anthropic message payloads: what that API would refuse. Rules: HI1, HI8. */

type Json = { readonly [member: string]: unknown };

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFilledText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** Everything wrong with it, in reading order; nothing when the API would take it. */
export function findAnthropicFaults(payload: unknown): readonly string[] {
  if (!isObject(payload)) return ["the payload is no object"];
  const { messages, system, tools } = payload;
  if (!Array.isArray(messages) || messages.length === 0) return ["messages must be a list that is not empty"];
  const faults: string[] = [];
  if (system !== undefined && !isFilledText(system)) faults.push("an empty system text");
  if (tools !== undefined && !(Array.isArray(tools) && tools.length > 0)) faults.push("an empty list of tools");
  if (!isObject(messages[0]) || messages[0]["role"] !== "user") faults.push("0: the first message is not the user's");
  const used = new Set<string>();
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isObject(message) || !Array.isArray(message["content"]) || message["content"].length === 0) {
      faults.push(`${at}: no message, or one without content`);
      continue;
    }
    const before: unknown = messages[at - 1];
    if (isObject(before) && before["role"] === message["role"]) faults.push(`${at}: roles do not alternate`);
    const blocks = message["content"].filter(isObject);
    open = message["role"] === "assistant" ? assistantFaults(blocks, used, fault) : userFaults(blocks, open, fault);
    function fault(text: string): void {
      faults.push(`${at}: ${text}`);
    }
  }
  if (open.length > 0) faults.push("the end: calls without a result");
  return faults;
}

/** Gives the ids of the calls that the next message must answer. */
function assistantFaults(blocks: readonly Json[], used: Set<string>, fault: (text: string) => void): string[] {
  const ids: string[] = [];
  for (const [place, block] of blocks.entries()) {
    if (block["type"] === "text") {
      if (!isFilledText(block["text"])) fault("an empty text block");
      const last = place === blocks.length - 1;
      if (last && String(block["text"]).trimEnd() !== block["text"]) fault("text that ends in white space");
      continue;
    }
    if (block["type"] !== "tool_use") {
      fault(`a ${String(block["type"])} block of an assistant`);
      continue;
    }
    const id = String(block["id"]);
    if (!namePattern.test(id) || used.has(id)) fault(`illegal or repeated call id ${id}`);
    if (!namePattern.test(String(block["name"]))) fault(`illegal tool name ${String(block["name"])}`);
    if (!isObject(block["input"])) fault("input that is no object");
    used.add(id);
    ids.push(id);
  }
  return ids;
}

/** Results come first, one for each call of the message before; then anything else. */
function userFaults(blocks: readonly Json[], open: readonly string[], fault: (text: string) => void): string[] {
  const results = blocks.filter(({ type }) => type === "tool_result");
  const firsts = blocks.slice(0, results.length);
  if (firsts.some(({ type }) => type !== "tool_result")) fault("results behind something else");
  const answered = results.map((block) => String(block["tool_use_id"]));
  if (answered.join(" ") !== open.join(" ")) fault(`results of [${answered.join(" ")}] for [${open.join(" ")}]`);
  for (const block of blocks) {
    if (block["type"] === "text" && !isFilledText(block["text"])) fault("an empty text block");
    if (block["type"] === "tool_use") fault("a call by the user");
  }
  return [];
}

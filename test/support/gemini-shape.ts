/** An independent judge of Gemini payloads: what that API would refuse. Rules: HI1, HI8. */

type Json = { readonly [member: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Everything wrong with it, in reading order; nothing when the API would take it. */
export function findGeminiFaults(payload: unknown): readonly string[] {
  if (!isObject(payload)) return ["the payload is no object"];
  const { contents } = payload;
  if (!Array.isArray(contents) || contents.length === 0) return ["contents must be a list that is not empty"];
  const faults: string[] = [];
  let open: readonly string[] = [];
  for (const [at, content] of contents.entries()) {
    const parts: unknown = isObject(content) ? content["parts"] : undefined;
    if (!isObject(content) || !Array.isArray(parts) || parts.length === 0) {
      faults.push(`${at}: no content, or one without parts`);
      continue;
    }
    const role = String(content["role"]);
    const before: unknown = contents[at - 1];
    if (role !== "user" && role !== "model") faults.push(`${at}: unknown role ${role}`);
    if (isObject(before) && before["role"] === role) faults.push(`${at}: two ${role} contents in a row`);
    faults.push(...partFaults(parts.filter(isObject), role, at));
    const responses = namesOf(parts, "functionResponse");
    if (role === "user" && responses.join(" ") !== open.join(" ")) {
      faults.push(`${at}: responses [${responses.join(" ")}] for calls [${open.join(" ")}]`);
    }
    if (namesOf(parts.slice(0, responses.length), "functionResponse").length < responses.length) {
      faults.push(`${at}: responses behind something else`);
    }
    open = role === "model" ? namesOf(parts, "functionCall") : [];
  }
  if (open.length > 0) faults.push("the end: calls without a response");
  const [first] = contents;
  if (isObject(first) && first["role"] !== "user") faults.push("0: a conversation starts with the user");
  return faults;
}

/** By name and order alone: this API has no call ids. */
function namesOf(parts: readonly unknown[], kind: "functionCall" | "functionResponse"): string[] {
  const found = parts.flatMap((part) => (isObject(part) && isObject(part[kind]) ? [part[kind]] : []));
  return found.map((call) => String(call["name"]));
}

function partFaults(parts: readonly Json[], role: string, at: number): string[] {
  const faults: string[] = [];
  for (const part of parts) {
    const call = part["functionCall"];
    const response = part["functionResponse"];
    if ("text" in part && (typeof part["text"] !== "string" || part["text"] === "")) faults.push(`${at}: empty text`);
    if (call !== undefined && role !== "model") faults.push(`${at}: a call by the user`);
    if (response !== undefined && role !== "user") faults.push(`${at}: a response by the model`);
    for (const named of [call, response].filter(isObject)) {
      if (!namePattern.test(String(named["name"]))) faults.push(`${at}: illegal name ${String(named["name"])}`);
    }
    if (isObject(call) && !isObject(call["args"])) faults.push(`${at}: arguments that are no object`);
    if (isObject(response) && !isObject(response["response"])) faults.push(`${at}: a response that is no object`);
  }
  return faults;
}

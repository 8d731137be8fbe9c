/** Service tools: a call of another Worker over its binding, answered by a tool result as JSON. Rules: TC26. */
import type { DeclaredTool } from "../contracts/config/tools.ts";
import { type JsonObject, isObject } from "../contracts/json.ts";
import type { ToolContext, ToolResult } from "../contracts/tool.ts";
import { readBounded } from "../policy/read-bounded.ts";
import type { DefinedTool } from "./create-tool.ts";
import { createDeclaredTool } from "./declared-tool.ts";
import { fail } from "./tool-result.ts";

export type ServiceToolDeclaration = Extract<DeclaredTool, { kind: "service" }>;

/** A service binding, as far as it is used here. */
export interface ServicePort {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A binding leads to one Worker whatever the host says; this one names no place on the network. */
const HOST = "http://service";
/** An answer is read whole, as large as its output and its data may be. */
const MOST_BYTES = 8_388_608;

export function createServiceTool(declared: ServiceToolDeclaration, service: ServicePort): DefinedTool {
  const url = `${HOST}${declared.path ?? `/tools/${declared.name}`}`;
  return createDeclaredTool(declared, "service", (args, context) => callService(service, url, { args, context }));
}

async function callService(
  service: ServicePort,
  url: string,
  { args, context }: { readonly args: JsonObject; readonly context: ToolContext },
): Promise<ToolResult> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    const response = await service.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ arguments: args, call: describeCall(context) }),
      redirect: "manual",
      signal: abort.signal,
    });
    const bytes = await readBounded(response.body, MOST_BYTES);
    return bytes === undefined ? fail("the service answered with more than 8 MiB") : readResult(response.status, bytes);
  } catch {
    return fail(context.signal.aborted ? "request stopped" : "the service could not be reached");
  } finally {
    context.signal.removeEventListener("abort", stop);
  }
}

const describeCall = ({
  tenant,
  conversation,
  turn,
  callId,
  agent,
  subject,
  idempotencyKey,
}: ToolContext): JsonObject => ({
  tenant,
  conversation,
  turn,
  call_id: callId,
  agent,
  subject,
  ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
});

/** Whether its members make a tool result is judged where every tool's answer is. */
function readResult(status: number, bytes: Uint8Array): ToolResult {
  const answer = parseJson(bytes);
  if (!isObject(answer) || !("success" in answer))
    return fail(`the service answered HTTP ${status} and no tool result`);
  return answer as ToolResult;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

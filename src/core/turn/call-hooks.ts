/** Hooks around calls: they may rewrite, cancel or repair a call before it is judged, and watch it after it ran. Rules: CP4–CP6, RD5. */
import type { ModelCall } from "../../contracts/call.ts";
import type {
  BeforeAnswer,
  FinishedCall,
  ToolHookAt,
  ToolHookContext,
  ToolHookPoint,
} from "../../contracts/config/tool-hook.ts";
import type { JsonObject } from "../../contracts/json.ts";
import { matchesAny } from "../../policy/name-pattern.ts";
import { toPlainJson } from "./plain-json.ts";
import type { ToolLoop } from "./turn-context.ts";

const HOOK_MS = 10_000;

interface HookedArguments {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Each hook sees what the one before left; the first that cancels ends the chain. */
export async function applyBeforeHooks(
  loop: ToolLoop,
  { call, ...start }: HookedArguments & { readonly call: ModelCall },
): Promise<HookedArguments | { readonly cancelled: string }> {
  let current: HookedArguments = start;
  for (const hook of hooksAt(loop, "before_tool_call")) {
    const answer = await askHook(loop, hook, async () =>
      readAnswer(await hook.run({ tool: current.tool, args: copyOf(current.args), context: contextOf(loop, call) })),
    );
    if (answer.kind === "failed") {
      if (hook.failClosed) return { cancelled: `the hook ${hook.name} failed.` };
      continue;
    }
    const { value } = answer;
    if (value === undefined) continue;
    if ("cancel" in value) return { cancelled: value.cancel };
    current = { tool: value.tool ?? current.tool, args: value.args ?? current.args };
  }
  return current;
}

/** The first hook that returns an object mends the call; what it returns counts as the model's. */
export async function repairArguments(loop: ToolLoop, call: ModelCall, tool: string): Promise<JsonObject | undefined> {
  for (const hook of hooksAt(loop, "repair_tool_call")) {
    const { argumentsText } = call;
    const answer = await askHook(loop, hook, async () =>
      readArguments(await hook.run({ tool, argumentsText, context: contextOf(loop, call) })),
    );
    if (answer.kind === "answered" && answer.value !== undefined) return answer.value;
  }
  return undefined;
}

/** All at once; nothing they do changes the result. */
export async function runAfterHooks(
  loop: ToolLoop,
  call: ModelCall,
  finished: Omit<FinishedCall, "context">,
): Promise<void> {
  const context = contextOf(loop, call);
  await Promise.all(
    hooksAt(loop, "after_tool_call").map(async (hook) =>
      askHook(loop, hook, async () => hook.run({ ...finished, context })),
    ),
  );
}

function hooksAt<Point extends ToolHookPoint>({ execution }: ToolLoop, point: Point): readonly ToolHookAt<Point>[] {
  const here = execution.hooks.filter(
    (hook): hook is Extract<typeof hook, ToolHookAt<Point>> =>
      hook.on === point && (hook.agents.length === 0 || matchesAny(hook.agents, execution.agent.alias)),
  );
  return here.toSorted((left, right) => right.priority - left.priority);
}

type HookAnswer<Value> = { readonly kind: "answered"; readonly value: Value } | { readonly kind: "failed" };

/** A hook that throws or is late is logged and counts as failed. */
function askHook<Value>(
  { execution: { ports }, identity }: ToolLoop,
  { name }: { readonly name: string },
  run: () => Promise<Value>,
): Promise<HookAnswer<Value>> {
  return new Promise((resolve) => {
    const fail = (reason: string): void => {
      stopTimer();
      ports.log("warn", "tool_hook_failed", { hook: name, reason, turn: identity.turn });
      resolve({ kind: "failed" });
    };
    const stopTimer = ports.startTimer(HOOK_MS, () => fail("timeout"));
    run().then(
      (value) => {
        stopTimer();
        resolve({ kind: "answered", value });
      },
      () => fail("threw"),
    );
  });
}

function contextOf({ identity, execution }: ToolLoop, { callId }: ModelCall): ToolHookContext {
  const { tenant, conversation, turn, subject } = identity;
  return { tenant, conversation, turn, subject, callId, agent: execution.agent.alias };
}

/** Hooks are the operator's code: an answer that is none is like a throw, and what they hold on to is not ours. */
function readAnswer(answer: unknown): BeforeAnswer {
  if (answer === undefined || answer === null) return undefined;
  if (!isObject(answer)) throw new Error("a hook answers with an object");
  const { cancel, tool } = answer;
  if (cancel !== undefined) return { cancel: requireText(cancel) };
  const args = readArguments(answer["args"]);
  return { ...(tool === undefined ? {} : { tool: requireText(tool) }), ...(args === undefined ? {} : { args }) };
}

function readArguments(args: unknown): JsonObject | undefined {
  if (args === undefined || args === null) return undefined;
  if (!isObject(args)) throw new Error("arguments are an object");
  return copyOf(args);
}

/** What is digested, approved and run is JSON, and nobody else holds it. */
function copyOf(args: { readonly [name: string]: unknown }): JsonObject {
  const copy = toPlainJson(args);
  if (!isObject(copy)) throw new Error("arguments are JSON, nested at most 64 deep");
  return copy;
}

function requireText(value: unknown): string {
  if (typeof value !== "string") throw new Error("a name or a reason is text");
  return value.toWellFormed();
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Conversations that are made to crash: one for each way in which a turn may be under way. Rules: DU50. */
import type { CrashScript } from "./crash-script.ts";
import { calls, finish, says, text } from "./scripted-provider.ts";

const unasked = {
  delegation_policy: { mode: "allow" as const },
  auto_approve: ["plain", "other", "again", "delegate", "pick"],
};
const long = "word ".repeat(300);

export const crashScripts: readonly CrashScript[] = [
  {
    name: "text",
    setup: () => ({}),
    answers: { go: [[text(long), text(long), text("end"), finish()]] },
    inputs: ["go"],
  },
  {
    name: "plain",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked }),
    answers: { go: [calls({ name: "plain", args: { n: 1 } }), says("Done.")] },
    inputs: ["go"],
  },
  {
    name: "sequence",
    setup: (world) => ({
      tools: [world.effect("plain"), world.effect("other")],
      risk: unasked,
      runtime: { parallel_tools: false },
    }),
    answers: {
      go: [
        [text(long), ...calls({ name: "plain", args: { n: 1 } }, { name: "other" }, { name: "plain", args: { n: 2 } })],
        calls({ name: "other", args: { n: 3 } }),
        says("Done."),
      ],
    },
    inputs: ["go"],
  },
  {
    name: "parallel",
    setup: (world) => ({
      tools: [world.effect("plain", { readOnly: true }), world.effect("other", { readOnly: true })],
      risk: unasked,
      runtime: { parallel_tools: true },
    }),
    answers: {
      go: [
        calls({ name: "plain" }, { name: "other" }, { name: "plain", args: { n: 2 } }, { name: "nothing" }),
        says("Done."),
      ],
    },
    inputs: ["go"],
  },
  {
    name: "idempotent",
    setup: (world) => ({ tools: [world.effect("again", { idempotent: true }), world.effect("plain")], risk: unasked }),
    answers: { go: [calls({ name: "again" }, { name: "plain" }), says("Done.")] },
    inputs: ["go"],
  },
  {
    name: "gated",
    setup: (world) => ({ tools: [world.effect("asks"), world.effect("plain")], risk: unasked }),
    answers: {
      go: [calls({ name: "plain" }, { name: "asks", args: { n: 1 } }), calls({ name: "asks" }), says("Done.")],
    },
    inputs: ["go"],
    person: "any life",
  },
  {
    name: "gated, nobody decides after the crash",
    setup: (world) => ({ tools: [world.effect("asks"), world.effect("plain")], risk: unasked }),
    answers: { go: [calls({ name: "asks", args: { n: 1 } }, { name: "plain" }), says("Done.")] },
    inputs: ["go"],
    person: "first life",
  },
  {
    name: "client",
    setup: (world) => ({ tools: [world.effect("plain")], clientTools: ["pick"], risk: unasked }),
    answers: { go: [calls({ name: "pick" }, { name: "plain" }), says("Done.")] },
    inputs: ["go"],
    person: "any life",
  },
  {
    name: "delegate",
    setup: (world) => ({
      tools: [world.effect("plain"), world.effect("asks")],
      risk: unasked,
      agent: { delegates: ["bea"] },
      agents: { bea: { model: null } },
    }),
    answers: {
      go: [calls({ name: "delegate", args: { agent: "bea", prompt: "help" } }, { name: "plain" }), says("Done.")],
      help: [[text(long), ...calls({ name: "plain", args: { n: 1 } }, { name: "asks" })], says("Helped.")],
    },
    inputs: ["go"],
    person: "any life",
  },
  {
    name: "steering",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked }),
    answers: { go: [calls({ name: "plain" }), says("Heard.")] },
    inputs: ["go"],
    meanwhile: { at: "effect", act: ({ steer }) => steer("and hurry") },
  },
  {
    name: "cancel",
    setup: (world) => ({ tools: [world.effect("plain"), world.effect("other")], risk: unasked }),
    answers: { go: [calls({ name: "plain" }, { name: "other" }), says("Done.")] },
    inputs: ["go"],
    meanwhile: { at: "effect", act: ({ cancel }) => cancel() },
  },
  {
    name: "interrupt while asked",
    setup: (world) => ({ tools: [world.effect("asks")], risk: unasked }),
    answers: { go: [calls({ name: "asks" }), says("Done.")], now: [says("Now.")] },
    inputs: ["go"],
    meanwhile: { at: "model", act: ({ post }) => post("now", "interrupt") },
  },
  {
    name: "queue",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked }),
    answers: {
      go: [calls({ name: "plain" }), says("Done.")],
      next: [says("Next.")],
      last: [calls({ name: "plain" }), says("Last.")],
    },
    inputs: ["go", "last"],
    meanwhile: { at: "model", act: ({ post }) => post("next") },
  },
  {
    name: "capped",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked, runtime: { max_tool_iterations: 1 } }),
    answers: { go: [calls({ name: "plain" }), says("A summary.")] },
    inputs: ["go"],
  },
  {
    name: "repetition",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked }),
    answers: { go: [...Array.from({ length: 6 }, () => calls({ name: "plain" })), says("Done.")] },
    inputs: ["go"],
  },
  {
    name: "unreadable",
    setup: (world) => ({ tools: [world.effect("plain")], risk: unasked }),
    answers: { go: [[text('<tool_call>{"name": "plain", '), finish()], says("Done.")] },
    inputs: ["go"],
  },
];

export function crashScript(name: string): CrashScript {
  const script = crashScripts.find((one) => one.name === name);
  if (script === undefined) throw new Error(`no script ${name}`);
  return script;
}

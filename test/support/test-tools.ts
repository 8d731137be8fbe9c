/** Tools for tests: one line each, of any origin, with whatever flags a case needs. */
import type { JsonObject } from "../../src/contracts/json.ts";
import type { Tool, ToolContext } from "../../src/contracts/tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

type Execute = (args: JsonObject, context: ToolContext) => unknown;

/** Takes any object, or what `input` says. */
export function createTool(
  name: string,
  execute: Execute = () => "ok",
  { input, ...flags }: Partial<Tool> & { readonly input?: object } = {},
): Tool {
  const tool = defineTool({
    name,
    description: `The tool ${name}.`,
    input: (input ?? { type: "object" }) as { readonly type: "object" },
    execute: async (args, context) => (await execute(args, context)) as string,
  });
  return { ...tool, ...flags };
}

/** A tool that notes the arguments it was run with. */
export function createNoting(name: string, flags: Partial<Tool> & { readonly input?: object } = {}) {
  const ran: JsonObject[] = [];
  const tool = createTool(
    name,
    (args) => {
      ran.push(args);
      return `${name} ran`;
    },
    flags,
  );
  return { tool, ran };
}

/** Work that ends when the test says so. */
export function createGate<Value = void>() {
  let open: (value: Value) => void = () => undefined;
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value: Value) => open(value) };
}

/** Lets everything that can go on without a timer go on. */
export async function settle(rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

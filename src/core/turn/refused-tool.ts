/** A tool that the provider refuses by name: barred for this conversation, so that its turns go on without it. Rules: SC8. */
import type { ModelRequest, ProviderFault } from "../../contracts/model.ts";
import type { ToolSpec } from "../../contracts/tool.ts";
import type { ToolLoop } from "./turn-context.ts";

/** Statuses that say: it is the request that is wrong, and it will stay so. */
const MALFORMED: ReadonlySet<number | undefined> = new Set([400, 422]);

/** The one tool that the provider's words name, in quotes or by its place; a name in running text could be a word. */
export function refusedTool({ tools }: ModelRequest, { kind, status, message }: ProviderFault): ToolSpec | undefined {
  if (kind !== "refused" || !MALFORMED.has(status)) return undefined;
  // The words may be JSON inside JSON.
  const words = message.replaceAll("\\", "");
  const [named, ...more] = tools.filter(({ name }) =>
    ['"', "'", "`"].some((quote) => words.includes(`${quote}${name}${quote}`)),
  );
  if (named !== undefined) return more.length === 0 ? named : undefined;
  const place = /\btools[.[](\d+)/.exec(words)?.[1];
  return place === undefined ? undefined : tools[Number(place)];
}

/** False when it names none: then the refusal is about something else. */
export function barRefusedTool(loop: ToolLoop, request: ModelRequest, fault: ProviderFault): boolean {
  const tool = refusedTool(request, fault)?.tool;
  const resolution = tool === undefined ? undefined : loop.execution.registry.resolve(tool);
  if (tool === undefined || resolution === undefined || !("tool" in resolution)) return false;
  const { execution, identity, journal } = loop;
  const provider = loop.model.provider.name;
  journal.barTool({ provider, definitionHash: resolution.tool.definitionHash });
  loop.hidden = new Set([...loop.hidden, tool]);
  execution.ports.log("warn", "tool_refused_by_provider", {
    tool,
    provider,
    turn: identity.turn,
    message: fault.message,
  });
  return true;
}

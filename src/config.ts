/** What a config file imports as `countersign`. Rules: CF1. */
import type { ConfigFile } from "./contracts/config.ts";
import type { ToolHookAt, ToolHookDefinition, ToolHookPoint } from "./contracts/config/tool-hook.ts";

export { defineTool } from "./tools/define-tool.ts";
export { fail, ok, partial } from "./tools/tool-result.ts";
export type { ConfigFile };

/** Gives the file its type, so that editors complete keys; it is judged when the Worker, `npm start` or `config:check` reads it. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}

/** A frozen hook around tool calls: priority 0, for all agents, changing nothing when it fails, unless it says otherwise. */
export function defineHook<const Point extends ToolHookPoint>(hook: ToolHookDefinition<Point>): ToolHookAt<Point> {
  return Object.freeze({ priority: 0, failClosed: false, agents: [], ...hook });
}

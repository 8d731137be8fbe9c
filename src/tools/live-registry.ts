/** withoutWithdrawn: a registry that becomes less while its turn runs, and never more. Rules: EX9, DI13, RX7, DM11. */
import type { Tool, ToolRegistry } from "../contracts/tool.ts";

/** `isCurrent`: false of a tool that its server has withdrawn or changed by now; asked each time. */
export function withoutWithdrawn(registry: ToolRegistry, isCurrent: (tool: Tool) => boolean): ToolRegistry {
  return {
    get visible() {
      return registry.visible.filter(isCurrent);
    },
    get stubs() {
      return registry.stubs.filter(isCurrent);
    },
    resolve: (name) => {
      const resolution = registry.resolve(name);
      return !("tool" in resolution) || isCurrent(resolution.tool) ? resolution : { kind: "not_available" };
    },
    excludes: (name) => registry.excludes(name),
  };
}

/** ToolNames: the names offered in this iteration, and what a name that a model wrote means. Rules: TP13, TP15, TS22, PA8. */
import { foldAscii } from "../../../../policy/fold-ascii.ts";

/** Canonical name → what models tuned elsewhere call it. */
const ALIASES: readonly (readonly [string, string])[] = [
  ["shell", "bash sh exec command cmd browser_open browser web_search"],
  ["message_send", "send_message sendmessage"],
  ["file_read", "fileread readfile read_file file"],
  ["file_write", "filewrite writefile write_file"],
  ["file_list", "filelist listfiles list_files"],
  ["memory_recall", "memoryrecall recall memrecall"],
  ["memory_store", "memorystore store memstore"],
  ["memory_forget", "memoryforget forget memforget"],
  ["http_request", "http fetch curl wget"],
];
const CANONICAL: ReadonlyMap<string, string> = new Map(
  ALIASES.flatMap(([canonical, aliases]) => aliases.split(" ").map((alias) => [alias, canonical] as const)),
);

export class ToolNames {
  readonly #known: ReadonlySet<string>;

  constructor(offered: Iterable<string>) {
    this.#known = new Set(Array.from(offered, foldAscii));
  }

  /** Whether any tool is offered. */
  get offered(): boolean {
    return this.#known.size > 0;
  }

  isKnown(name: string): boolean {
    return this.#known.has(foldAscii(name));
  }

  /** An offered name stands for itself before any alias is looked at; so no tool can be shadowed. */
  resolve(name: string): string {
    if (this.isKnown(name)) return name;
    const last = name.slice(name.lastIndexOf(".") + 1);
    return this.isKnown(last) ? last : (CANONICAL.get(last) ?? last);
  }
}

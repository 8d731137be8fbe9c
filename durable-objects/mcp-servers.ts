/** McpServers: the MCP servers of one conversation – read before a turn needs them, connected for as long as a turn. Rules: MC2, MC3, MC5, TS2, TS18, EX9, RX7. */
import type { AgentProfile, RiskProfile } from "../src/contracts/agent-profile.ts";
import type { ListedTool } from "../src/contracts/mcp.ts";
import type { CancelSignal } from "../src/contracts/ports.ts";
import type { Tool } from "../src/contracts/tool.ts";
import { McpServer } from "../src/mcp/mcp-server.ts";
import { judgeUrl } from "../src/policy/egress-guard.ts";
import { matchesAny } from "../src/policy/name-pattern.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { createMcpTool } from "../src/tools/mcp/mcp-tool.ts";
import { readListing, realName } from "../src/tools/mcp/read-listing.ts";
import { parseUrl } from "../src/tools/parse-url.ts";
import { version } from "../src/contracts/version.ts";
import type { Deployment } from "./deployment.ts";
import { McpCatalogues, type ServerSettings, isChanged } from "./mcp-catalogues.ts";
import { systemPorts } from "./system-ports.ts";

/** How often a server may have its listing read again in one turn by saying that it changed. */
const MOST_REREADS = 10;

type OfBundles = Pick<AgentProfile, "mcpBundles">;

export interface McpTools {
  /** Of the servers of the agent's bundles, in their order. */
  readonly tools: readonly Tool[];
  /** Real names of tools that there are, and whose definition is not the one that was seen first. */
  readonly disabled: readonly string[];
}

export class McpServers {
  readonly #deployment: Deployment;
  readonly #catalogues: McpCatalogues;
  readonly #open = new Map<string, McpServer>();
  /** One flight a server at a time. */
  readonly #reading = new Map<string, Promise<void>>();
  readonly #rereads = new Map<string, number>();

  constructor(deployment: Deployment, sql: SqlPort) {
    this.#deployment = deployment;
    this.#catalogues = new McpCatalogues(sql);
  }

  /**
   * Reads what is not known, or too old; `undefined` when there is nothing to read. A server that is down costs its tools, or
   * leaves those known before. Resolves early when the turn is cancelled.
   */
  prepare(agent: OfBundles, cancel: CancelSignal): Promise<void> | undefined {
    const due = this.#serversOf(agent).filter((settings) => this.#catalogues.isDue(settings));
    if (due.length === 0) return undefined;
    const cancelled = new Promise<void>((resolve) => {
      cancel.addEventListener("abort", () => resolve(), { once: true });
      if (cancel.aborted) resolve();
    });
    const read = Promise.all(due.map((settings) => this.#read(settings)));
    return Promise.race([cancelled, read.then(() => undefined)]);
  }

  toolsOf(agent: OfBundles, { onDefinitionChange }: Pick<RiskProfile, "onDefinitionChange">): McpTools {
    const excluded = this.#bundlesOf(agent).flatMap(({ exclude }) => exclude);
    const tools: Tool[] = [];
    const disabled: string[] = [];
    for (const settings of this.#serversOf(agent)) {
      const known = this.#catalogues.find(settings);
      if (known === undefined) continue;
      for (const listed of known.catalogue.tools) {
        const name = realName(settings.name, listed.name);
        if (!isAdmitted(settings, listed) || matchesAny(excluded, name)) continue;
        if (onDefinitionChange === "disable" && isChanged(settings, known, listed)) disabled.push(name);
        else tools.push(createMcpTool({ listed, settings, call: (...call) => this.#server(settings).call(...call) }));
      }
    }
    return { tools, disabled };
  }

  /** False once its server has withdrawn or changed it (EX9). */
  readonly isCurrent = ({ origin, definition: { name }, definitionHash }: Tool): boolean => {
    if (origin !== "mcp") return true;
    // No server's name has two of them in a row.
    const end = name.indexOf("__");
    return !this.#catalogues.isWithdrawn(name.slice(0, end), name.slice(end + 2), definitionHash);
  };

  /** No stream to a server outlives the turn. */
  close(): void {
    for (const server of this.#open.values()) server.close();
    this.#open.clear();
    // What is still being read is read over connections that are closed now.
    this.#reading.clear();
    this.#rereads.clear();
  }

  #bundlesOf({ mcpBundles }: OfBundles) {
    const { mcp } = this.#deployment.config;
    return mcp.enabled ? mcpBundles.flatMap((name) => mcp.bundles.get(name) ?? []) : [];
  }

  /** Each once, in the order in which the bundles name them. */
  #serversOf(agent: OfBundles): readonly ServerSettings[] {
    const named = new Set(this.#bundlesOf(agent).flatMap(({ servers }) => servers));
    const { servers } = this.#deployment.config.mcp;
    return Array.from(named).flatMap((name) => servers.find((server) => server.name === name) ?? []);
  }

  #read(settings: ServerSettings): Promise<void> {
    const { name } = settings;
    const underWay = this.#reading.get(name);
    if (underWay !== undefined) return underWay;
    const reading = this.#readNow(settings).finally(() => {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
    });
    this.#reading.set(name, reading);
    return reading;
  }

  async #readNow(settings: ServerSettings): Promise<void> {
    const { name } = settings;
    const server = this.#server(settings);
    const before = this.#rereads.get(name);
    const listed = await server.list();
    // The turn that asked is over, and its connections with it: nothing is known of the server by that.
    if (this.#open.get(name) !== server) return;
    if (!listed.ok) {
      this.#catalogues.failed(settings);
      return systemPorts.log("warn", "mcp_listing_failed", { server: name, reason: listed.failure.kind });
    }
    const { entries, cut } = listed.value;
    if (cut !== undefined) systemPorts.log("warn", "mcp_listing_cut", { server: name, reason: cut });
    this.#catalogues.keep(settings, readListing(name, entries), server.link);
    // It may have changed behind the page that was read first.
    if (this.#rereads.get(name) !== before) this.#catalogues.markStale(settings);
  }

  #server(settings: ServerSettings): McpServer {
    const server = this.#open.get(settings.name) ?? this.#createServer(settings);
    this.#open.set(settings.name, server);
    return server;
  }

  #createServer(settings: ServerSettings): McpServer {
    const { egress, secrets, config, redactor } = this.#deployment;
    const link = this.#catalogues.find(settings)?.link;
    return new McpServer({
      settings,
      version,
      elicitation: config.mcp.elicitation === "defaults" ? "defaults" : "decline",
      ports: {
        fetch: (url, init) => fetch(url, init),
        judge: (url) => judgeUrl(url, egress, parseUrl),
        startTimer: systemPorts.startTimer,
        secrets,
        clean: redactor.text,
        log: systemPorts.log,
      },
      ...(link === undefined ? {} : { link }),
      keepLink: (kept) => this.#catalogues.keepLink(settings, kept),
      onListChanged: () => this.#changed(settings),
    });
  }

  /** What is gone or changed acts as soon as it is known, what is new at the next turn, which reads again if this one did not (MC5). */
  #changed(settings: ServerSettings): void {
    const { name } = settings;
    const rereads = (this.#rereads.get(name) ?? 0) + 1;
    this.#rereads.set(name, rereads);
    this.#catalogues.markStale(settings);
    if (this.#reading.has(name) || rereads > MOST_REREADS) return;
    this.#read(settings).catch((error: unknown) =>
      systemPorts.log("error", "mcp_listing_lost", { server: name, error: String(error) }),
    );
  }
}

/** By the server's own name; empty allows all, deny wins. */
const isAdmitted = ({ allowedTools, excludedTools }: ServerSettings, { name }: ListedTool): boolean =>
  (allowedTools.length === 0 || matchesAny(allowedTools, name)) && !matchesAny(excludedTools, name);

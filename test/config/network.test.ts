/** What the file says about the network. */
import { describe, expect, test } from "vitest";
import { faultsOf, leastFile, pathsOf, readWith } from "./support.ts";

const local = (base_url: string) => ({
  ...leastFile.providers,
  local: {
    kind: "openai_compatible",
    base_url,
    default_model: "m",
    models: { m: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } },
  },
});

describe("development hosts", () => {
  const egress = { dev_hosts: ["127.0.0.1:11434"] };

  test.each(["live", "test"] as const)("[SE40] are a fault in %s", (env) => {
    expect(pathsOf(faultsOf(readWith({ egress }, { env })))).toEqual(["egress.dev_hosts"]);
    expect(readWith({ egress: { dev_hosts: [] } }, { env }).ok).toBe(true);
  });

  test("[SE40] let a local model server through in development", () => {
    const providers = local("http://127.0.0.1:11434/v1");
    expect(readWith({ providers, egress }).warnings).toEqual([]);
    expect(readWith({ providers }).warnings).toEqual([
      {
        path: "providers.local.base_url",
        message:
          "egress refuses it (scheme): use https; for a server of your own during development, list its host:port in egress.dev_hosts",
      },
    ]);
  });
});

describe("URLs of the file", () => {
  test.each([
    ["https://127.0.0.1/v1", {}, ["ip_literal", "egress.dev_hosts"]],
    ["https://models.internal/v1", {}, ["hostname", "egress.dev_hosts"]],
    ["https://models.example.com:8443/v1", {}, ["port", "egress.allow_ports"]],
    ["https://models.example.com/v1", { allow_hosts: ["other.example.com"] }, ["not_allowed", "egress.allow_hosts"]],
    ["https://me.example.com/v1", { own_hosts: ["me.example.com"] }, ["own_host", ""]],
  ] as const)("[SE33] %s is warned of with its class", (url, egress, [refusal, remedy]) => {
    const reading = readWith({ providers: local(url), egress });
    expect(reading.ok).toBe(true);
    expect(pathsOf(reading.warnings)).toEqual(["providers.local.base_url"]);
    expect(reading.warnings[0]?.message).toContain(`(${refusal})`);
    expect(reading.warnings[0]?.message).toContain(remedy);
  });

  test("[SE33] every URL that the product fetches is judged", () => {
    const url = "https://intranet.local/";
    const reading = readWith({
      mcp: { servers: [{ name: "s", url }] },
      callbacks: [{ tenant: "*", url }],
      hooks: [
        {
          name: "h",
          tenant: "t",
          scheme: "github",
          secret: "TICKETS_SECRET",
          conversation: "c",
          input: "i",
          callback: { url },
        },
      ],
      auth: { issuers: [{ issuer: "i", audience: "a", jwks_url: url, tenant_claim: "org" }] },
      observability: { otlp_endpoint: url },
    });
    const judged = reading.warnings.filter(({ message }) => message.startsWith("egress refuses it (hostname)"));
    expect(pathsOf(judged)).toEqual([
      "mcp.servers[0].url",
      "hooks[0].callback.url",
      "callbacks[0].url",
      "auth.issuers[0].jwks_url",
      "observability.otlp_endpoint",
    ]);
  });

  test("[CF2] an answer may not be larger than egress allows", () => {
    const tool = {
      kind: "http",
      name: "get",
      description: "Gets",
      url: "https://a.example.com/",
      input_schema: { type: "object" },
    };
    const tools = [{ ...tool, response: { max_bytes: 5_242_881 } }];
    expect(pathsOf(faultsOf(readWith({ tools })))).toEqual(["tools[0].response.max_bytes"]);
    expect(readWith({ tools, egress: { max_fetch_bytes: 6_000_000 } }).ok).toBe(true);
  });
});

describe("http_request", () => {
  test.each(["http_request", "http_*", "*"])(
    "[CF6] offered by %j without a list of hosts, it is a fault",
    (pattern) => {
      const agents = { assistant: { ...leastFile.agents.assistant, builtin_tools: ["calculator", pattern] } };
      expect(faultsOf(readWith({ agents }))).toEqual([
        {
          path: "agents.assistant.builtin_tools[1]",
          message: "offers http_request, which needs hosts in egress.allow_hosts",
        },
      ]);
      expect(readWith({ agents, egress: { allow_hosts: ["api.example.com"] } }).ok).toBe(true);
    },
  );
});

describe("what works in part", () => {
  const models = { m: { input_usd_per_mtok: 1 }, priced: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } };
  const main = { kind: "openai_compatible", base_url: "https://m.example.com/", default_model: "priced", models };

  test("[CF2] a model without prices is a warning", () => {
    const providers = { ...leastFile.providers, main: { ...main, default_model: "m" } };
    expect(pathsOf(readWith({ providers }).warnings)).toEqual(["providers.main.default_model"]);
  });

  test("[CF2] so is one that an agent names, of its own provider", () => {
    const agent = (model: string, provider = "main") => ({ model_provider: provider, model });
    const agents = { known: agent("priced"), half: agent("m"), unknown: agent("n"), planner: agent("n", "local") };
    const providers = { main, local: { kind: "embedded" } };
    expect(pathsOf(readWith({ agents, providers }).warnings)).toEqual(["agents.half.model", "agents.unknown.model"]);
  });
});

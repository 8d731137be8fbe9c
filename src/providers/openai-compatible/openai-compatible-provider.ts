/** A model provider over the OpenAI Chat wire: one call, its retries, its one end. Rules: PV4, PV10, PV13, PV14, PV16, UP1–UP17, SE68. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelEvent, ModelProvider, ModelRequest, ProviderFault } from "../../contracts/model.ts";
import type { CancelSignal } from "../../contracts/ports.ts";
import { cutCodePoints } from "../../policy/cut-text.ts";
import { describeEgressRefusal } from "../../policy/egress-refusal.ts";
import { capabilitiesOf, maxOutputTokensOf } from "../model-abilities.ts";
import type { ProviderConfig } from "../provider-ports.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { METADATA_KEY } from "./keep-metadata.ts";
import { mayRetry, readFault } from "./provider-fault.ts";
import { readAnswer, readStream } from "./read-stream.ts";
import { type Credentials, resolveCredentials } from "./resolve-credentials.ts";
import { restoreArguments } from "./restore-arguments.ts";
import { toPrompt } from "./to-prompt.ts";
import { type UpstreamLine, openLine } from "./upstream-line.ts";

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 4000;
const MOST_MESSAGE_CHARS = 500;

export function createOpenAICompatibleProvider(config: ProviderConfig): ModelProvider {
  const { name, settings, ports } = config;
  // Cut last, so that no cut leaves half a secret.
  const clean = (text: string): string => cutCodePoints(ports.clean(text.toWellFormed()), MOST_MESSAGE_CHARS, "…");
  return {
    name,
    defaultModel: settings.defaultModel ?? "",
    capabilities: (model) => capabilitiesOf(settings, model),
    maxOutputTokens: (model) => maxOutputTokensOf(settings, model),
    async *stream(request, signal) {
      for await (const event of callProvider(config, request, signal)) {
        // Our own signal decides: an abort surfaces under any name, even as a failed response.
        if (signal.aborted) return;
        if (event.type !== "fault") yield event;
        else yield { type: "fault", fault: { ...event.fault, message: clean(event.fault.message) } };
      }
    },
  };
}

const fault = (found: ProviderFault): ModelEvent => ({ type: "fault", fault: found });

async function* callProvider(
  config: ProviderConfig,
  request: ModelRequest,
  signal: CancelSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { settings, ports } = config;
  const credentials = resolveCredentials(settings, ports.secrets);
  if (!credentials.ok) {
    return yield fault({ kind: "not_configured", message: `the secret ${credentials.failure} is not bound` });
  }
  const verdict = ports.judge(`${baseUrlOf(config)}/chat/completions`);
  if (!verdict.ok) return yield fault({ kind: "egress", message: describeEgressRefusal(verdict.failure.class) });

  for (let retries = 0; !signal.aborted; retries++) {
    const refusal = yield* attempt({ config, credentials: credentials.value, request, signal });
    if (refusal === undefined) return;
    if (retries >= settings.maxRetries) return yield fault(refusal);
    const reason = refusal.status === undefined ? refusal.kind : `HTTP ${refusal.status}`;
    yield { type: "retry", attempt: retries + 1, reason };
    await pause(config, Math.min(FIRST_BACKOFF_MS * 4 ** retries, LONGEST_BACKOFF_MS), signal);
  }
}

interface Attempt {
  readonly config: ProviderConfig;
  readonly credentials: Credentials;
  readonly request: ModelRequest;
  readonly signal: CancelSignal;
}

/** One request. Returns the fault, instead of yielding it, when nothing came and another try may help. */
async function* attempt(tried: Attempt): AsyncGenerator<ModelEvent, ProviderFault | undefined, undefined> {
  const { config, request, signal } = tried;
  const idleSecs = config.settings.streamIdleSecs;
  const line = openLine({ cancel: signal, startTimer: config.ports.startTimer, idleMs: idleSecs * 1000 });
  let opened = false;
  try {
    const model = buildModel(tried, line);
    const options = callOptions(config.name, request, line);
    if (request.stream) {
      const { stream } = await model.doStream(options);
      opened = true;
      yield* readStream(stream, config.name);
    } else {
      yield* readAnswer(await model.doGenerate(options), config.name);
    }
    return undefined;
  } catch (error) {
    const found: ProviderFault = line.wentSilent()
      ? { kind: "cut", message: `the provider sent nothing for ${idleSecs} seconds` }
      : readFault(error, opened);
    if (mayRetry(found)) return found;
    yield fault(found);
    return undefined;
  } finally {
    line.close();
  }
}

function buildModel({ config, credentials, request }: Attempt, line: UpstreamLine): LanguageModelV4 {
  const guarded = createGuardedFetch({ fetch: config.ports.fetch, line, stream: request.stream });
  return createOpenAICompatible({
    name: METADATA_KEY,
    baseURL: baseUrlOf(config),
    ...credentials,
    includeUsage: true,
    fetch: (input, init) => guarded(input instanceof Request ? input.url : String(input), init ?? {}),
    transformRequestBody: (body) => restoreArguments(body, request),
  }).chatModel(request.model);
}

const baseUrlOf = ({ settings }: ProviderConfig): string => (settings.baseUrl ?? "").replace(/\/+$/, "");

function callOptions(name: string, request: ModelRequest, line: UpstreamLine): LanguageModelV4CallOptions {
  const { tools, temperature, maxOutputTokens } = request;
  return {
    prompt: toPrompt(request, name),
    maxOutputTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: "function" as const,
            name: tool.name,
            description: tool.description,
            inputSchema: tool.parameters,
          })),
        }),
    abortSignal: line.signal,
  };
}

/** Resolves after `ms`, or as soon as the caller gives up. */
function pause({ ports }: ProviderConfig, ms: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stopTimer();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const stopTimer = ports.startTimer(ms, finish);
    signal.addEventListener("abort", finish, { once: true });
    if (signal.aborted) finish();
  });
}

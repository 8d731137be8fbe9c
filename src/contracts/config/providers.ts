/** Schema of `providers.<name>`, one shape per kind. Rules: CF2, CF5, PV16, SC5, UP18. */
import { z } from "zod";
import { alias, bindingName, filledText, headers, listOf, section, userMap, webUrl, whole } from "./fields.ts";

export type SchemaStrategy = "openai" | "anthropic" | "gemini" | "conservative";

const price = z.number().min(0).optional();

const modelSchema = section({
  native_tools: z.boolean().optional().describe("Overrides the provider's."),
  streaming_tools: z.boolean().optional().describe("Overrides the provider's."),
  context_tokens: whole(1).optional().describe("Size of its context; bounds `max_context_tokens`."),
  max_output_tokens: whole(1).optional().describe("Tokens asked for and reserved; 4096 when unknown."),
  input_usd_per_mtok: price.describe("US dollars per million input tokens; 0 when unknown."),
  cached_input_usd_per_mtok: price.describe("The same for cached input."),
  output_usd_per_mtok: price.describe("The same for output."),
});

const neededModel = filledText.describe("Model of agents that name none.");
const optionalModel = filledText.nullable().default(null).describe("Model of agents that name none.");
const vendorUrl = webUrl.nullable().default(null).describe("Where its API is; null is the vendor's own.");

/** Keys that every kind has; only the default of the schema strategy differs. */
const commonKeys = (strategy: SchemaStrategy) => ({
  api_key: bindingName.nullable().default(null).describe("Name of the secret that holds its key; null sends none."),
  headers: headers.prefault({}).describe("Further headers; may hold ${secret:NAME}."),
  max_retries: whole(0, 5).default(2).describe("Repeats of a failed call while nothing was shown."),
  stream_idle_secs: whole(1).default(120).describe("A connection silent for so long is cut."),
  schema_strategy: z
    .enum(["openai", "anthropic", "gemini", "conservative"])
    .default(strategy)
    .describe("How tool schemas are prepared."),
  native_tools: z.boolean().optional().describe("Whether its models call tools natively; true when unknown."),
  streaming_tools: z.boolean().optional().describe("Whether such calls can be streamed; true when unknown."),
  propagate_trace: z.boolean().default(false).describe("Send the trace context along."),
  models: userMap(filledText, modelSchema).prefault({}).describe("What is known of single models, by id."),
});

export const providerSchema = z.discriminatedUnion("kind", [
  section({
    kind: z.literal("embedded").describe("The built-in planner: no key, no network, no language model."),
    default_model: optionalModel,
    base_url: vendorUrl,
    ...commonKeys("conservative"),
  }),
  section({
    kind: z.literal("openai_compatible").describe("Any server that speaks OpenAI's chat completions."),
    default_model: neededModel,
    base_url: webUrl.describe("Where its API is, with the version: https://host/v1."),
    ...commonKeys("openai"),
  }),
  section({
    kind: z.literal("openai").describe("OpenAI."),
    default_model: neededModel,
    base_url: vendorUrl,
    api: z.enum(["chat", "responses"]).default("chat").describe("Which of its two APIs is spoken."),
    ...commonKeys("openai"),
  }),
  section({
    kind: z.literal("anthropic").describe("Anthropic."),
    default_model: neededModel,
    base_url: vendorUrl,
    ...commonKeys("anthropic"),
  }),
  section({
    kind: z.literal("google").describe("Google Gemini."),
    default_model: neededModel,
    base_url: vendorUrl,
    ...commonKeys("gemini"),
  }),
  section({
    kind: z.literal("workers_ai").describe("Workers AI."),
    default_model: neededModel,
    base_url: vendorUrl,
    binding: bindingName.default("AI").describe("Name of its binding."),
    ...commonKeys("conservative"),
  }),
  section({
    kind: z.literal("route").describe("Other providers, tried in order."),
    default_model: optionalModel,
    base_url: vendorUrl,
    members: listOf(alias)
      .refine((members) => members.length > 0, { error: "needs at least one provider" })
      .describe("Providers in the order in which they are tried; none of them a route."),
    ...commonKeys("conservative"),
  }),
]);

export type ProviderSettings = z.output<typeof providerSchema>;

/** ModelBinding: one model of one provider with its price, and the name that rows and people know it by. Rules: RX1, LC29, CK3. */
import type { JsonSchema } from "../../contracts/json.ts";
import type { ModelProvider } from "../../contracts/model.ts";

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

export interface ModelBinding {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly price: ModelPrice;
  /** The copy of an argument schema that this provider takes; the schema itself when it takes that (SC4). */
  readonly cleanSchema: (schema: JsonSchema) => JsonSchema;
}

/** `provider/model`. A provider's name has no slash, a model's may have some. */
export const modelName = ({ provider, model }: ModelBinding): string => `${provider.name}/${model}`;

export function splitModelName(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

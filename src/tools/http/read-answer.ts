/** readAnswer: from what a server answered to the result of the call. Rules: TC22, TC25. */
import type { HttpToolDeclaration } from "../../contracts/config/tools.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { ToolFetchAnswer, ToolResult } from "../../contracts/tool.ts";
import { answerText, mediaTypeOf } from "../answer-text.ts";
import { fail, ok, partial } from "../tool-result.ts";
import type { TemplateReader } from "./read-templates.ts";
import { type ArgumentPath, type Template, fillTemplate, textOf, valueAt } from "./template.ts";

const JSON_TYPE = /^(?:application\/json|.*\+json)$/;
const STEP = /\.([A-Za-z_][A-Za-z0-9_-]*)|\["([^"\\]*)"\]|\[(\d+)\]/g;

export interface AnswerPlan {
  /** As the file has it, for the sentence that says that it found nothing. */
  readonly select: string | null;
  readonly path: ArgumentPath;
  readonly text: Template | null;
  readonly ok: readonly (number | string)[];
}

export function readAnswerPlan({ response }: HttpToolDeclaration, reader: TemplateReader): AnswerPlan {
  const steps = Array.from(
    (response.select ?? "").matchAll(STEP),
    ([, name, quoted, at]) => name ?? quoted ?? at ?? "",
  );
  return {
    select: response.select,
    path: steps,
    text: response.text === null ? null : reader.ofAnswer("response.text", response.text),
    ok: response.ok,
  };
}

/** `clean` takes the product's own secrets out: a server may say back what it was sent. */
export async function readAnswer(
  answer: ToolFetchAnswer,
  plan: AnswerPlan,
  clean: (text: string) => string,
): Promise<ToolResult> {
  const body = clean(await answerText(answer));
  if (!isSuccess(answer.status, plan)) {
    return body === "" ? fail(`HTTP ${answer.status}`) : partial(`HTTP ${answer.status}`, body);
  }
  const readsJson = plan.select !== null || plan.text !== null;
  if (!readsJson && (!JSON_TYPE.test(mediaTypeOf(answer)) || body.trim() === "")) return ok(body);
  const json = JSON_TYPE.test(mediaTypeOf(answer)) ? parseJson(body) : undefined;
  if (json === undefined) return partial("the answer is not JSON", body);
  const selected = valueAt(json.value, plan.path);
  if (selected === undefined) return partial(`the answer has nothing at ${plan.select ?? "$"}`, body);
  return ok(outputOf(selected, plan), selected);
}

const isSuccess = (status: number, plan: AnswerPlan): boolean =>
  plan.ok.some((form) => form === status || form === `${Math.floor(status / 100)}xx`);

/** A place of the text that the answer has nothing for stays empty: the request was made, and nobody should make it again for that. */
function outputOf(selected: JsonValue, { text }: AnswerPlan): string {
  if (text !== null) {
    return (
      fillTemplate(text, (part) => ("argument" in part ? (textOf(valueAt(selected, part.argument)) ?? "") : "")) ?? ""
    );
  }
  return typeof selected === "string" ? selected : JSON.stringify(selected, null, 2);
}

function parseJson(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}

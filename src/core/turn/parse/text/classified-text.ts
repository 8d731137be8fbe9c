/** ClassifiedText: whether a text is tool protocol, broken protocol, an example of it, or none. Rules: TP53, TP59–TP64. */
import type { JsonValue } from "../../../../contracts/json.ts";
import { foldAscii } from "../../../../policy/fold-ascii.ts";
import { type JsonEnvelopeKind, hasLooseSignal, jsonMentions, kindOfJson } from "./envelope-shapes.ts";
import { findCalls } from "./find-calls.ts";
import { lazy } from "./lazy.ts";
import { parseJson } from "./json-text.ts";
import { holdsProtocolMark, startsProtocol, startsToolFence } from "./protocol-marks.ts";
import type { FoundCalls } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

export type EnvelopeKind = "tagged_tool_call" | JsonEnvelopeKind;

const EXAMPLE_WORDS = ["example", "sample", "示例", "例如", "比如", "举例", "例子", "比方说", "譬如"];
const CALL_WORDS = ["arguments", "parameters", "function", "name", "call_id", "tool_call_id"];
const CONTAINER_KEYS = ['"tool_calls"', '"toolcalls"', '"function_call"'];
const ARGUMENT_KEYS = ['"arguments"', '"parameters"'];
const CALL_ID_KEYS = ['"call_id"', '"tool_call_id"'];
const RESULT_KEYS = ['"content"', '"result"', '"output"'];
const JSON_FENCE = /^```[^\S\n]*json[^\S\n]*\n/i;
const FENCE_END = "```";
const NAME = /"name"\s*:\s*"([^"\\]*)"/g;

const holdsAny = (text: string, words: readonly string[]): boolean => words.some((word) => text.includes(word));
const holdsExampleWord = (text: string): boolean => holdsAny(foldAscii(text), EXAMPLE_WORDS);

/** One text, trimmed; each judgement is made when it is first asked for. */
export class ClassifiedText {
  readonly text: string;
  readonly #names: ToolNames;
  readonly #lower: string;
  /** What the parser makes of it. */
  readonly #found: () => FoundCalls;
  readonly #json: () => JsonValue | undefined;
  /** The body of a JSON fence, which is judged in the fence's place; a fence in a fence is text. */
  readonly #body: () => ClassifiedText | undefined;
  readonly #example: () => boolean;
  readonly #kind: () => EnvelopeKind | undefined;

  constructor(text: string, names: ToolNames, isFenceBody = false) {
    this.text = text.trim();
    this.#names = names;
    this.#lower = foldAscii(this.text);
    this.#found = lazy(() => findCalls(this.text, names));
    this.#json = lazy(() => parseJson(this.text));
    this.#body = lazy(() => {
      const body = isFenceBody ? undefined : jsonFenceBody(this.text);
      return body === undefined ? undefined : new ClassifiedText(body, names, true);
    });
    this.#example = lazy(() => this.#judgeExample());
    this.#kind = lazy(() => this.#judgeKind());
  }

  get found(): FoundCalls {
    return this.#found();
  }

  /** `undefined` when the text is no JSON. */
  get json(): JsonValue | undefined {
    return this.#json();
  }

  get isJsonFence(): boolean {
    return this.#body() !== undefined;
  }

  /** An example explains a call; it is neither run nor reported. */
  get isExample(): boolean {
    return this.#example();
  }

  get kind(): EnvelopeKind | undefined {
    return this.#kind();
  }

  get looksLikeEnvelope(): boolean {
    return this.kind !== undefined || (this.#body()?.looksLikeEnvelope ?? false) || hasLooseSignal(this.json);
  }

  get isMalformed(): boolean {
    return !this.isExample && (this.#isEmptyProtocol() || this.#holdsBrokenEnvelope(false));
  }

  get isMalformedForKnown(): boolean {
    return !this.isExample && (this.#isEmptyProtocol() || this.#holdsBrokenEnvelope(true));
  }

  get isTagCall(): boolean {
    return holdsProtocolMark(this.#lower) && !this.isExample && this.found.calls.length > 0;
  }

  get mentionsKnown(): boolean {
    const body = this.#body();
    if (body !== undefined) return body.mentionsKnown;
    if (jsonMentions(this.json, this.#names)) return true;
    if (!startsProtocol(this.#lower) && !holdsProtocolMark(this.#lower)) return false;
    return this.found.calls.some(({ name }) => this.#names.isKnown(name));
  }

  get isIncomplete(): boolean {
    const broken = this.#brokenJson();
    return broken !== undefined && holdsAny(broken, [...CONTAINER_KEYS, ...CALL_ID_KEYS]);
  }

  #judgeExample(): boolean {
    const opening = JSON_FENCE.exec(this.text)?.[0].length;
    const close = opening === undefined ? -1 : this.text.indexOf(FENCE_END, opening);
    if (close >= 0 && holdsExampleWord(this.text.slice(close + FENCE_END.length))) {
      const body = new ClassifiedText(this.text.slice(opening, close), this.#names, true);
      if (body.kind !== undefined) return true;
    }
    if (!startsToolFence(this.#lower) && !holdsProtocolMark(this.#lower)) return false;
    return this.found.calls.length > 0 && holdsExampleWord(this.found.text);
  }

  #judgeKind(): EnvelopeKind | undefined {
    if (startsProtocol(this.#lower) && !this.isExample && this.found.calls.length > 0) {
      if (startsToolFence(this.#lower) || this.found.text.trim() === "") return "tagged_tool_call";
    }
    const body = this.#body();
    return body === undefined ? kindOfJson(this.json) : body.kind;
  }

  /** Protocol that opens, says nothing that can be read, and leaves nothing over. */
  #isEmptyProtocol(): boolean {
    if (!startsProtocol(this.#lower) || !holdsAny(this.#lower, CALL_WORDS)) return false;
    return this.found.calls.length === 0 && this.found.text.trim() === "";
  }

  /** Text that sets out to be JSON and is none; a JSON fence by its body. */
  #brokenJson(): string | undefined {
    if (!/^(?:[{[]|```json)/.test(this.#lower)) return undefined;
    const judged = this.#body() ?? this;
    return judged.json === undefined ? judged.text : undefined;
  }

  #holdsBrokenEnvelope(withNames: boolean): boolean {
    const broken = this.#brokenJson();
    if (broken === undefined) return false;
    if (broken.includes('"tool_call_id"') && holdsAny(broken, RESULT_KEYS)) return true;
    if (!holdsAny(broken, CONTAINER_KEYS) || !holdsAny(broken, ARGUMENT_KEYS)) return false;
    if (holdsAny(broken, CALL_ID_KEYS)) return true;
    return withNames && Array.from(broken.matchAll(NAME)).some(([, name = ""]) => this.#names.isKnown(name.trim()));
  }
}

/** What lies between the first line and the last fence, when nothing but white space follows that. */
function jsonFenceBody(text: string): string | undefined {
  const opening = JSON_FENCE.exec(text)?.[0].length;
  const close = text.length - FENCE_END.length;
  return opening !== undefined && close >= opening && text.endsWith(FENCE_END) ? text.slice(opening, close) : undefined;
}

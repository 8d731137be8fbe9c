/** From whatever a provider call failed with to one ProviderFault. Rules: UP10, UP12, PV10, SE72. */
import { AISDKError, APICallError } from "@ai-sdk/provider";
import { isObject } from "../../contracts/json.ts";
import type { ProviderFault } from "../../contracts/model.ts";
import { type JsonRecord, parseJson } from "./json-record.ts";

const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum context|(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|reduce the length|maximum (?:number of )?(?:input )?tokens|exceeds? (?:the )?(?:model'?s )?(?:maximum )?(?:token|context)/i;

/** `opened`: the answer had begun, so that a broken connection is a cut and no longer an unreachable server. */
export function readFault(error: unknown, opened: boolean): ProviderFault {
  if (APICallError.isInstance(error)) return readCallError(error);
  if (AISDKError.isInstance(error)) return { kind: "cut", message: error.message };
  if (error instanceof Error) return { kind: opened ? "cut" : "unreachable", message: withCause(error) };
  return readErrorFrame(error);
}

/** An error that came as a frame after the answer had begun with 200. */
function readErrorFrame(error: unknown): ProviderFault {
  const record: JsonRecord = isObject(error) ? error : { message: String(error) };
  const { code, type, message } = record;
  const label = [code, type].find((value) => typeof value === "string" || typeof value === "number");
  const text = typeof message === "string" ? message : "no message";
  const said = label === undefined ? text : `${String(label)}: ${text}`;
  return OVERFLOW.test(said) ? { kind: "context_overflow", message: said } : { kind: "cut", message: said };
}

function readCallError(error: APICallError): ProviderFault {
  const { statusCode: status, responseBody = "", message } = error;
  if (status === undefined) return { kind: "unreachable", message: withCause(error) };
  if (status >= 200 && status < 300) {
    const value = parseJson(responseBody);
    if (isObject(value) && isObject(value["error"])) return readErrorFrame(value["error"]);
    return { kind: "cut", message: withCause(error) };
  }
  const said = [message, responseBody].find((text) => text.trim() !== "") ?? "no message";
  const kind =
    (status === 400 || status === 413) && OVERFLOW.test(`${message} ${responseBody}`) ? "context_overflow" : "refused";
  return {
    kind,
    status,
    message: `HTTP ${status}: ${error.data === undefined && responseBody !== "" ? responseBody : said}`,
  };
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** Worth another try as it stands: the server was not there, was busy, or failed on its own account. */
export const mayRetry = ({ kind, status = 0 }: ProviderFault): boolean =>
  kind === "unreachable" || (kind === "refused" && (status === 429 || status >= 500));

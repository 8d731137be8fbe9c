/** Accepts a turn and answers as the client can take it: a stream, the outcome, a promise of it. Rules: G1, HP2, SE44, SS7, SS11, SS12. */
import type { Problem } from "../contracts/errors.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import type { AcceptedTurn, StartTurn, TurnView } from "../contracts/verbs.ts";
import { digestJson } from "../receipts/digest.ts";
import { resolveCursor } from "../wire/cursor.ts";
import { decodeIdempotencyKey } from "../wire/idempotency-key.ts";
import { omitUndefined } from "../wire/present.ts";
import { invalidRequest } from "../wire/problem.ts";
import type { TurnBody } from "../wire/requests.ts";
import { encodeTurn, isEnded } from "../wire/responses.ts";
import { checkAgent } from "./agent-check.ts";
import type { Conversation } from "./conversation.ts";
import { judgeImages } from "./judge-images.ts";
import { parsePrefer } from "./prefer.ts";
import { isForNow, passOn, respondCutStream, respondEndedStream, respondJson } from "./respond.ts";
import type { Answer, WriteCall } from "./route.ts";

type TurnCall = WriteCall<TurnBody>;

export async function acceptTurn(call: TurnCall): Promise<Answer> {
  const start = readStart(call);
  if (!start.ok) return start;
  const conversation = call.open(call.param("conversation"));
  const accepted = await conversation.call((stub, caller) => stub.startTurn(caller, start.value), {
    idempotent: start.value.idempotencyKey !== undefined || start.value.resumeAfter !== undefined,
  });
  if (!accepted.ok) return accepted;
  return call.accepted === "text/event-stream"
    ? await streamTurn(conversation, accepted.value, start.value.resumeAfter)
    : await awaitOutcome(call, conversation, accepted.value);
}

/** What is asked of the object, judged whole before it wakes. */
function readStart(call: TurnCall): Result<StartTurn, Problem> {
  const { body, json, header } = call;
  if (body.request.agent !== undefined) {
    const agent = checkAgent(call.dependencies.config(), body.request.agent);
    if (!agent.ok) return agent;
  }
  const input = judgeImages(call, body.request.input);
  if (!input.ok) return input;
  const key = readKey(header("idempotency-key"), body.clientMessageId);
  if (!key.ok) return key;
  const cursor = resolveCursor({ lastEventId: header("last-event-id"), after: undefined });
  if (!cursor.ok) return cursor;
  const { request } = body;
  const fingerprint = digestJson(json);
  return succeed(omitUndefined({ request, fingerprint, idempotencyKey: key.value, resumeAfter: cursor.value }));
}

function readKey(header: string | undefined, fromBody: string | undefined): Result<string | undefined, Problem> {
  if (header === undefined) return succeed(fromBody);
  const key = decodeIdempotencyKey(header);
  return key.ok ? key : failWith(invalidRequest([{ path: "Idempotency-Key", message: keyMessage }]));
}

async function streamTurn(
  conversation: Conversation,
  { turn, after, repeated }: AcceptedTurn,
  resumeAfter: number | undefined,
): Promise<Answer> {
  const headers = { "x-countersign-turn": turn.id };
  const cursor = repeated ? (resumeAfter ?? after) : after;
  const stream = await conversation.fetch(`/events?turn=${turn.id}&after=${cursor}`);
  // The turn is accepted: a refusal now would make the client post it again.
  if (!stream.ok || (await isForNow(stream))) return respondCutStream(headers);
  return stream.value.status === 204 ? respondEndedStream(headers) : passOn(stream.value, headers);
}

async function awaitOutcome(call: TurnCall, conversation: Conversation, { turn }: AcceptedTurn): Promise<Answer> {
  const { respondAsync, waitSecs } = parsePrefer(call.header("prefer"));
  const reply = (view: TurnView, status: 200 | 202, headers: Record<string, string> = {}): Answer =>
    respondJson(encodeTurn(conversation.id, view), status, { ...headers, "x-countersign-turn": turn.id });
  if (respondAsync) return reply({ turn }, 202, { "preference-applied": "respond-async" });
  const awaited = await conversation.call((stub, caller) => stub.awaitTurn(caller, turn.id, waitSecs), {
    idempotent: true,
    waitSecs,
  });
  // An object that went away while we waited changes nothing: the turn runs on.
  if (!awaited.ok) return reply({ turn }, 202);
  return reply(awaited.value, isEnded(awaited.value.turn.state) ? 200 : 202);
}

const keyMessage = "1 to 255 visible ASCII characters, bare or as a quoted string, once";

/** Verbs of a turn under way: cancel it, steer it, answer its client tools. Rules: G11, LC26, SE44, TC27, TC28. */
import type { Problem } from "../../contracts/errors.ts";
import type { Result } from "../../contracts/result.ts";
import type { TurnView } from "../../contracts/verbs.ts";
import { encodeTurn } from "../../wire/responses.ts";
import { decodeMessageBody, decodeToolResultsBody } from "../../wire/turn-requests.ts";
import { judgeImages } from "../judge-images.ts";
import { respondJson } from "../respond.ts";
import { type Answer, defineCommand, defineWrite, type Route } from "../route.ts";

const turnPath = "/v1/conversations/:conversation/turns/:turn";

/** The turn as the verb left it. */
function replyTurn(conversation: string, view: Result<TurnView, Problem>, status: 200 | 202): Answer {
  if (!view.ok) return view;
  return respondJson(encodeTurn(conversation, view.value), status, { "x-countersign-turn": view.value.turn.id });
}

export const turnVerbRoutes: readonly Route[] = [
  defineCommand({
    path: `${turnPath}/cancel`,
    scope: "turns:write",
    answer: async ({ param, open }) => {
      const conversation = open(param("conversation"));
      const view = await conversation.call((stub, caller) => stub.cancelTurn(caller, param("turn")), {
        idempotent: true,
      });
      return replyTurn(conversation.id, view, 202);
    },
  }),
  defineWrite({
    path: `${turnPath}/messages`,
    scope: "turns:write",
    body: decodeMessageBody,
    answer: async (call) => {
      const { param, open } = call;
      const input = judgeImages(call, call.body);
      if (!input.ok) return input;
      const conversation = open(param("conversation"));
      const view = await conversation.call((stub, caller) => stub.steerTurn(caller, param("turn"), input.value), {
        idempotent: false,
      });
      return replyTurn(conversation.id, view, 202);
    },
  }),
  defineWrite({
    path: `${turnPath}/tool_results`,
    scope: "turns:write",
    body: decodeToolResultsBody,
    answer: async ({ param, open, body }) => {
      const conversation = open(param("conversation"));
      const view = await conversation.call((stub, caller) => stub.postToolResults(caller, param("turn"), body), {
        idempotent: false,
      });
      return replyTurn(conversation.id, view, 200);
    },
  }),
];

/** Response documents in wire names; times are ISO 8601, ids are called what they are called in events. Rules: RE9, TC16. */
import type { Tool } from "../contracts/tool.ts";
import type { ReceiptClaim, ReceiptVerdict } from "../contracts/receipt.ts";
import type { TurnState } from "../contracts/turn.ts";
import type { ConversationView, EventPage, OpenRequests, ReceiptView, TurnView } from "../contracts/verbs.ts";
import { encodeApproval } from "./approvals.ts";
import { encodeTime } from "./iso-time.ts";
import { encodeNextBefore } from "./next-before.ts";
import { conversationPath } from "./paths.ts";
import { encodeNames } from "./snake-case.ts";

type Document = Record<string, unknown>;

const metadataOnly: ReadonlySet<string> = new Set(["metadata"]);

/** Whether a turn has come to its end; a suspended one has not. */
export const isEnded = (state: TurnState): boolean =>
  state !== "queued" && state !== "running" && state !== "suspended";

export function encodeConversation({ id, createdAt, ...view }: ConversationView): Document {
  const path = conversationPath(id);
  return {
    conversation: id,
    ...encodeNames(view, metadataOnly),
    created_at: encodeTime(createdAt),
    links: { self: path, turns: `${path}/turns`, events: `${path}/events`, receipts: `${path}/receipts` },
  };
}

/** What a suspended turn waits for: each approval as its own route shows it, each client call with its exact arguments. */
function encodeOpenRequests(conversation: string, { approvals, clientCalls }: OpenRequests): Document {
  return {
    approvals: approvals.map((view) => encodeApproval(conversation, view)),
    client_calls: clientCalls.map(({ callId, tool, args, expiresAt }) => ({
      call_id: callId,
      tool,
      arguments: args,
      expires_at: encodeTime(expiresAt),
    })),
  };
}

/** One shape whether the turn has just been accepted or has long ended; the outcome's members come with the end. */
export function encodeTurn(conversation: string, { turn, summary, openRequests }: TurnView): Document {
  const { id, acceptedAt, finishedAt, ...record } = turn;
  const path = conversationPath(conversation);
  return {
    turn: id,
    conversation,
    ...encodeNames(record, metadataOnly),
    accepted_at: encodeTime(acceptedAt),
    ...(finishedAt === undefined ? {} : { finished_at: encodeTime(finishedAt) }),
    ...(summary === undefined ? {} : encodeNames(summary, metadataOnly)),
    ...(openRequests === undefined ? {} : { open_requests: encodeOpenRequests(conversation, openRequests) }),
    links: { self: `${path}/turns/${id}`, events: `${path}/events?turn=${id}` },
  };
}

export function encodeTurnPage(conversation: string, views: readonly TurnView[]): Document {
  return {
    turns: views.map((view) => encodeTurn(conversation, view)),
    next_before: encodeNextBefore(views.at(-1)?.turn.n),
  };
}

/** Text, not a document: the events are the log's own lines, byte for byte (SE70). */
export const encodeEventPage = ({ events, nextAfter, live }: EventPage): string =>
  `{"events":[${events.join(",")}],"next_after":${nextAfter},"live":${live}}`;

export function encodeReceipt(conversation: string, { receipt, callId }: ReceiptView): Document {
  return {
    receipt: receipt.token,
    call_id: callId,
    body: receipt.body,
    links: {
      self: `${conversationPath(conversation)}/receipts/${receipt.token}`,
      result: `${conversationPath(conversation)}/calls/${callId}/result`,
    },
  };
}

export function encodeReceiptPage(
  conversation: string,
  views: readonly ReceiptView[],
  page: { readonly after: number; readonly limit: number },
): Document {
  const last = views.at(-1);
  return {
    receipts: views.map((view) => encodeReceipt(conversation, view)),
    next_after: last === undefined ? page.after : last.n,
    more: views.length === page.limit,
  };
}

/** The names of a verdict and of a signed body are the wire's already (RE3). `checked` says what was held against the receipt. */
export const encodeVerdict = (verdict: ReceiptVerdict, claim: ReceiptClaim): Document => ({
  ...verdict,
  checked: reachedTheCall(verdict) ? claimable.filter((name) => claim[name] !== undefined) : [],
});

const claimable = ["tool", "arguments", "result"] as const;

/** Nothing is compared with a receipt that is not there, or whose token does not sign it. */
const reachedTheCall = (verdict: ReceiptVerdict): boolean =>
  verdict.verdict === "valid" || (verdict.verdict === "mismatch" && !verdict.fields.includes("receipt"));

/** An agent as the deployment configures it. */
export interface AgentListing {
  readonly alias: string;
  readonly enabled: boolean;
}

/** Disabled agents are not shown. */
export function encodeAgents(agents: readonly AgentListing[], defaultAgent: string): Document {
  const enabled = agents.filter((agent) => agent.enabled);
  return { agents: enabled.map(({ alias }) => ({ agent: alias, default: alias === defaultAgent })) };
}

/** One tool that an agent would be granted (TC16). */
export interface ToolListing {
  readonly tool: Pick<
    Tool,
    "definition" | "definitionHash" | "origin" | "provenance" | "risk" | "readOnly" | "idempotent" | "client"
  >;
  /** Would a call of it need a person now? */
  readonly prompts: boolean;
  readonly visible: boolean;
  readonly deferred: boolean;
  /** Why it is disabled; absent when it is not. */
  readonly disabled?: string;
}

export function encodeTools(agent: string, listings: readonly ToolListing[]): Document {
  return { agent, tools: listings.map(encodeTool) };
}

function encodeTool({ tool, ...standing }: ToolListing): Document {
  const { definition, definitionHash, origin, provenance, risk, readOnly, idempotent, client } = tool;
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  return {
    tool: name,
    title,
    description,
    input_schema: inputSchema,
    output_schema: outputSchema,
    annotations,
    tool_def: definitionHash,
    tool_origin: origin,
    provenance,
    risk,
    read_only: readOnly,
    idempotent,
    client,
    ...standing,
  };
}

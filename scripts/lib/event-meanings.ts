/** What each event and each of its fields means, in words for `docs/events.md`; types and presence come from the schemas. */

export interface EventMeaning {
  readonly what: string;
  /** By place: `usage.exact`, `receipts[].tool`. What is missing here is looked up among the shared meanings. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Fields that mean the same wherever they stand. */
export const sharedMeanings: Readonly<Record<string, string>> = {
  type: "What happened. Also the frame's `event:`.",
  seq: "Number in the conversation, from 1 without gaps. Also the frame's `id:`, and the cursor.",
  at: "When it was written to the log.",
  conversation: "Its conversation.",
  turn: "Its turn.",
  agent: "Alias of the agent that answers.",
  channel: "The way that the turn came in.",
  iteration: "The model call of the turn that it belongs to, from 1.",
  parent_agent: "Of a delegate: the agent that called it.",
  parent_calls: "Of a delegate: the calls that led to it, outermost first.",
  input: "The first 200 characters of the input; an image stands there as its media type.",
  entry: "How the turn came to be: by a request, a webhook, or a message that was left over.",
  message_id: "The message that the piece belongs to. Pieces of one message are joined as they come.",
  call_id: "The call, the same in everything that is said of it.",
  tool: "Name of the tool, as configured.",
  tool_origin: "Where the tool comes from; null when there is no such tool.",
  origin: "How the model called it: natively, in words, or on the provider's side.",
  arguments: "Arguments as the tool gets them, credentials hidden. What the model wrote, if it was no JSON object.",
  disposition: "What became of the call.",
  approval_id: "The request, and the last part of the address that decides it.",
  attempt: "Which attempt failed, from 1. Counted anew when the model is asked once more without streaming.",
  finish_reason: "Why the model stopped, in the provider's word.",
  input_tokens: "Tokens that were sent.",
  output_tokens: "Tokens that came back.",
  cached_tokens: "Of those sent, the ones that the provider had cached.",
  reasoning_tokens: "Of those that came back, the ones that were thinking.",
  exact: "False when the provider did not count all of it.",
  cost_usd: "US dollars, by the prices in the configuration; 0 without prices.",
};

export const eventMeanings: Readonly<Record<string, EventMeaning>> = {
  turn_accepted: { what: "The turn is stored. Whatever happens from here on, it will have an end." },
  turn_started: { what: "Its loop begins; it was the next in its conversation." },
  text_delta: {
    what: "A piece of the answer. What comes within a short time is joined to one piece, so pieces are no tokens.",
    fields: { text: "The piece, credentials hidden." },
  },
  reasoning_delta: {
    what: "The model thinks. Whether this is said at all, and what of it, is `draft_reasoning` in the runtime profile.",
    fields: { text: "The piece of thinking; absent when only its presence is told." },
  },
  tool_call: {
    what: "A call starts, or is shown right before its result when it never runs. Each call has exactly one.",
    fields: {
      provider_call_id: "The provider's own id for it.",
      index: "Place among the calls of its response, from 0.",
    },
  },
  tool_result: {
    what: "A call has ended. Each call has exactly one, whatever became of it.",
    fields: {
      success: "Whether the model is told that it went well.",
      output: "What the model is shown, cut to size, credentials hidden.",
      chars: "Characters (code points) before the cut.",
      truncated: "Whether it was cut.",
      duration_ms: "How long the tool ran.",
      receipt: "The receipt, if the call succeeded and receipts are on.",
      data: "The tool's structured answer, if it has one.",
      output_schema_mismatch: "Its data did not fit the tool's output schema, and is left out.",
      artifact: "A file that the tool delivered.",
      "artifact.path": "Its path.",
      "artifact.uri": "Where it can be fetched.",
      "artifact.filename": "Name to save it under.",
      "artifact.title": "Name for people.",
      "artifact.mime": "Its media type.",
      "artifact.size": "Bytes.",
    },
  },
  approval_requested: {
    what: "A call must be decided by a person before any call of its response runs. A second one for a call, with another id, says that somebody else is asked now.",
    fields: {
      tool_origin: "Where the tool comes from.",
      arguments_summary: "The arguments in one line, for a person to read.",
      risk: "How the tool is rated.",
      expires_at: "When the request ends undecided.",
    },
  },
  approval_decided: {
    what: "A request has come to its end.",
    fields: {
      decision: "What was decided; null when nobody did.",
      provenance: "By whom or by what: a person, the policy, time, the turn's own end, a tool that has changed.",
      decided_by: "The person's subject.",
    },
  },
  client_tool_requested: {
    what: "A call waits for the client to run it and to post what came of it.",
    fields: { tool_origin: "Where the tool comes from.", arguments: "Exact, nothing hidden: the client runs them." },
  },
  turn_suspended: {
    what: "The turn waits, and nothing of it runs. Its stream stays open a little longer, then ends.",
    fields: {
      reason: "What it waits for.",
      approval_ids: "The open requests.",
      call_ids: "The calls that they are about, or that the client shall run.",
    },
  },
  turn_resumed: { what: "The turn goes on.", fields: { reason: "What it had waited for." } },
  steering: {
    what: "A message that came while the turn was under way, now read by it.",
    fields: { text: "The message." },
  },
  model_switched: {
    what: "The next model call goes to another model.",
    fields: { from: "The model until now.", to: "The model from now on." },
  },
  plan: { what: "The agent's list of things to do, whole.", fields: { todos: "The list." } },
  loop_warning: {
    what: "Calls go in circles. The model is told, or the call refused, or the turn ended, by the level.",
    fields: {
      level: "What is done about it.",
      pattern: "What repeats.",
      tool: "The tool that repeats.",
      count: "How often.",
    },
  },
  provider_retry: {
    what: "The model server failed before anything was shown, and is asked again.",
    fields: { reason: "What kind of failure it was. The server's own words are in the operator's log alone." },
  },
  history_trimmed: {
    what: "Older messages were left out of what the model is told.",
    fields: {
      dropped_messages: "How many.",
      kept_turns: "Turns that are still told.",
      reason: "Which limit asked for it.",
    },
  },
  usage: { what: "What one model call took." },
  turn_recovered: {
    what: "The object that ran the turn was lost, and the turn was found again from its rows.",
    fields: {
      attempt: "How often that has happened to this turn.",
      calls: "The calls that were open, and what they are now taken to be.",
      "calls[].call_id": "The call.",
    },
  },
  message_reset: {
    what: "A text that was being written starts over.",
    fields: { message_id: "The message whose pieces so far are to be thrown away." },
  },
  receipt_check: {
    what: "The final text quotes receipts, or says something about tools that the turn's calls do not bear out.",
    fields: checkFields(""),
  },
  turn_finished: {
    what: "The end. Each turn has exactly one, and nothing of the turn comes after it.",
    fields: {
      outcome: "How it ended; see [outcomes](#outcomes-and-reasons).",
      reason: "Why, unless it is `completed`.",
      finish_reason: "Why the last model call stopped, in the provider's word.",
      text: "The whole answer. It is what counts, also where pieces were streamed.",
      usage: "The sum over all model calls.",
      iterations: "Iterations of the turn, those of its delegates among them.",
      receipts: "The receipts of the turn, in the order in which calls ended.",
      "receipts[].receipt": "The token.",
      receipt_check: "What the receipts and claims in the text are worth; absent when receipts are off.",
      ...checkFields("receipt_check."),
      head_hash: "The head of the conversation's audit chain when the turn ended.",
    },
  },
};

/** The same below `receipt_check` and inside `turn_finished`. */
function checkFields(at: string): Record<string, string> {
  return {
    [`${at}quoted`]: "How many genuine receipts of this conversation the text quotes.",
    [`${at}fabricated`]: "Everything else in it that is shaped like a receipt.",
    [`${at}claims`]: "Doubtful claims, see [the claim check](receipts.md#the-claim-check).",
    [`${at}claims[].kind`]: "What is doubtful.",
    [`${at}claims[].text`]: "The words in question.",
    [`${at}claims[].start`]: "Where they begin in the text, in UTF-16 units.",
    [`${at}claims[].end`]: "Where they end.",
    [`${at}claims[].receipts`]: "The receipts that were looked at.",
    [`${at}claims[].confidence`]: "How sure the check is, by kind and wording.",
  };
}

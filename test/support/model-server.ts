/** A model server on loopback that speaks OpenAI's chat stream as a test tells it to, faults included, and keeps what it was asked. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
  readonly stream?: boolean;
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export type ModelAnswer =
  | { readonly kind: "text"; readonly tokens: readonly string[]; readonly tokenMs?: number; readonly cut?: boolean }
  | ({ readonly kind: "call" } & SaidCall)
  | { readonly kind: "calls"; readonly calls: readonly SaidCall[] }
  | { readonly kind: "status"; readonly status: number };

export interface ModelServer {
  readonly port: number;
  readonly requests: readonly ChatRequest[];
  stop(): Promise<void>;
}

/** `answer` sees the request and decides; what it is told to cut is destroyed after its last token. */
export async function startModelServer(answer: (request: ChatRequest) => ModelAnswer): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((incoming, response) => {
    void readText(incoming).then(async (body) => {
      const request: ChatRequest = JSON.parse(body);
      requests.push(request);
      await send(response, answer(request), request.stream === true);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const envelope = { id: "chatcmpl-1", created: 1, model: "scripted" };
const usage = { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 };

async function send(response: ServerResponse, answer: ModelAnswer, streamed: boolean): Promise<void> {
  if (answer.kind === "status") {
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "as the test wants it" } }));
  } else if (streamed) {
    await sendStream(response, answer);
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...envelope, object: "chat.completion", choices: [wholeChoice(answer)], usage }));
  }
}

type Said = Exclude<ModelAnswer, { kind: "status" }>;

const callsOf = (answer: Exclude<Said, { kind: "text" }>): readonly SaidCall[] =>
  answer.kind === "call" ? [answer] : answer.calls;

const toolCall = ({ id, name, args }: SaidCall) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

function wholeChoice(answer: Said) {
  return answer.kind === "text"
    ? { index: 0, finish_reason: "stop", message: { role: "assistant", content: answer.tokens.join("") } }
    : {
        index: 0,
        finish_reason: "tool_calls",
        message: { role: "assistant", content: null, tool_calls: callsOf(answer).map(toolCall) },
      };
}

async function sendStream(response: ServerResponse, answer: Said): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = (fields: object): void => {
    response.write(`data: ${JSON.stringify({ ...envelope, object: "chat.completion.chunk", ...fields })}\n\n`);
  };
  const choose = (delta: object, finish_reason: string | null = null): void =>
    write({ choices: [{ index: 0, delta, finish_reason }] });
  if (answer.kind === "text") {
    for (const content of answer.tokens) {
      choose({ content });
      if (answer.tokenMs !== undefined) await sleep(answer.tokenMs);
    }
    if (answer.cut === true) return void response.destroy();
    choose({}, "stop");
  } else {
    choose({ tool_calls: callsOf(answer).map((call, index) => ({ index, ...toolCall(call) })) });
    choose({}, "tool_calls");
  }
  write({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

/** TurnClient: one client's connection, over which it posts turns one after another; as little work as a client can do. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { loopbackHost } from "../../scripts/lib/free-port.ts";

const lastFrame = "event: turn_finished\n";
const endOfBody = "\r\n0\r\n\r\n";
const expectedHead = "HTTP/1.1 200 ";
const expectedOutcome = '"outcome":"completed"';

export interface TurnPost {
  readonly conversation: string;
  readonly agent: string;
  readonly key: string;
}

interface Reading {
  received: string;
  readonly postedAt: number;
  finishedAt: number | undefined;
  readonly resolve: (latencyMs: number) => void;
  readonly reject: (error: Error) => void;
}

export class TurnClient {
  readonly #socket: Socket;
  #reading: Reading | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", (error) => this.#reading?.reject(error));
    socket.on("close", () => this.#reading?.reject(new Error("the server closed the connection")));
  }

  static async connect(port: number): Promise<TurnClient> {
    const socket = connect(port, loopbackHost);
    await once(socket, "connect");
    return new TurnClient(socket);
  }

  /** Reads the turn's stream to its end; answers the milliseconds from the post to the last frame. */
  postTurn({ conversation, agent, key }: TurnPost): Promise<number> {
    const body = JSON.stringify({ input: "What is known of rivers?", agent });
    const head = [
      `POST /v1/conversations/${conversation}/turns HTTP/1.1`,
      `Host: ${loopbackHost}`,
      `Authorization: Bearer ${key}`,
      "Accept: text/event-stream",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    return new Promise((resolve, reject) => {
      this.#reading = { received: "", postedAt: performance.now(), finishedAt: undefined, resolve, reject };
      this.#socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    });
  }

  close(): void {
    this.#reading = undefined;
    this.#socket.destroy();
  }

  #read(text: string): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    reading.received += text;
    if (!reading.received.startsWith(expectedHead)) return this.#refuse(reading);
    if (reading.finishedAt === undefined && reading.received.includes(lastFrame)) {
      reading.finishedAt = performance.now();
    }
    if (!reading.received.endsWith(endOfBody)) return;
    if (reading.finishedAt === undefined || !reading.received.includes(expectedOutcome)) return this.#refuse(reading);
    this.#reading = undefined;
    reading.resolve(reading.finishedAt - reading.postedAt);
  }

  #refuse({ received, reject }: Reading): void {
    this.#reading = undefined;
    reject(new Error(`a turn did not complete:\n${received.slice(0, 2000)}`));
  }
}

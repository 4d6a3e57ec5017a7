import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Format, isObject, type RequestBody, type Trouble } from "./format.ts";
import type { Answer } from "./script.ts";

/** What a server does with one request. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Each is written by itself, so that it is read by itself. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /** What comes behind them. `end`: as it should be. `drop`: the connection breaks. `hold`: nothing. Default `end`. */
  readonly ending?: "end" | "drop" | "hold";
  /** Not even headers come; what comes behind is `hold`, or `drop`. */
  readonly silent?: true;
}

/** A request as the server had it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: RequestBody;
  /** The client closed the connection before the answer was at its end. */
  closedEarly: boolean;
}

const stream = { "content-type": "text/event-stream; charset=utf-8" };

/** What a provider's format makes of an answer, whole or in pieces. */
export const repliesOf = (format: Format) => {
  const bytes = (answer: Answer): Uint8Array => Buffer.from(format.render(answer).join(""));
  return {
    bytes,
    answer: (answer: Answer): Reply => ({ headers: stream, chunks: [bytes(answer)] }),
    says: (text: string): Reply => ({ headers: stream, chunks: [bytes({ said: [{ text }] })] }),
    /** In two pieces. */
    cutAt: (answer: Answer, at: number): Reply => {
      const whole = bytes(answer);
      return { headers: stream, chunks: [whole.subarray(0, at), whole.subarray(at)] };
    },
    /** The first `at` bytes. */
    endsAt: (answer: Answer, at: number, ending: NonNullable<Reply["ending"]>): Reply => ({
      headers: stream,
      chunks: [bytes(answer).subarray(0, at)],
      ending,
    }),
    /** All events but for the last `left`. */
    begins: (answer: Answer, left: number, ending: NonNullable<Reply["ending"]> = "hold"): Reply => ({
      headers: stream,
      chunks: [format.render(answer).slice(0, -left).join("")],
      ending,
    }),
    /** All events but for the last `left`, then an error. */
    errsAfter: (answer: Answer, left: number, trouble: Trouble): Reply => ({
      headers: stream,
      chunks: [...format.render(answer).slice(0, -left), format.errorEvent(trouble)],
    }),
    error: (trouble: Trouble, headers: Record<string, string> = {}): Reply => {
      const { status, body } = format.error(trouble);
      return { status, headers: { "content-type": "application/json", ...headers }, chunks: [JSON.stringify(body)] };
    },
  };
};

/**
 * A provider on loopback. It gives its replies in order, one to a request, and holds every request against the rules of its
 * format. `faults` has what it would have refused.
 */
export class WireServer {
  readonly format: Format;
  readonly requests: Received[] = [];
  readonly faults: string[] = [];
  readonly #server: Server;
  readonly #replies: (Reply | ((request: Received) => Reply))[] = [];

  constructor(format: Format) {
    this.format = format;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reply(...replies: readonly (Reply | ((request: Received) => Reply))[]): this {
    this.#replies.push(...replies);
    return this;
  }

  get last(): Received {
    const last = this.requests.at(-1);
    if (!last) throw new Error("Nothing was asked.");
    return last;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body: RequestBody = JSON.parse(Buffer.concat(pieces).toString());
    const received: Received = { path: request.url ?? "", headers: request.headers, body, closedEarly: false };
    response.on("close", () => {
      received.closedEarly = !response.writableFinished;
    });
    this.requests.push(received);
    if (isObject(body)) this.faults.push(...this.format.faults(body));
    const next = this.#replies.shift();
    if (!next) {
      this.faults.push("a request came for which there is no reply");
      response.writeHead(418).end();
      return;
    }
    give(typeof next === "function" ? next(received) : next, response);
  }
}

const give = ({ status = 200, headers = {}, chunks = [], ending = "end", silent }: Reply, response: ServerResponse) => {
  if (silent) {
    if (ending === "drop") response.destroy();
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const chunk of chunks) if (chunk.length > 0) response.write(chunk);
  if (ending === "end") response.end();
  // What was written is on its way before the connection breaks.
  if (ending === "drop") setImmediate(() => response.destroy());
};

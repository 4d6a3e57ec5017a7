import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback, for one test. `answer` sees the key that was sent; the address ends with `/v1`. */
export const serving = async (answer: (response: ServerResponse, key: string, body: string) => void) => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () =>
      answer(response, String(request.headers.authorization ?? request.headers["x-api-key"] ?? ""), body),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** What a chat completion streams: its text in pieces, then its end. */
export const completion = (...pieces: readonly string[]): string[] => [
  ...pieces.map((content) => chunk({ delta: { content } })),
  chunk({ delta: {}, finish_reason: "stop" }),
  "data: [DONE]\n\n",
];
const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`;

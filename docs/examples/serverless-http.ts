import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { createSystem, InputRefusedError, type SystemOptions, ThreadIdError } from "wakeful";

/** Whatever calls back later: a queue with a delay, a scheduler. `at` is an instant in ms; one that has passed means at once. */
export type BringBack = (threadId: string, at: number) => void;

interface Posted {
  readonly threadId: string;
  /** Left out by who brings a thread back. */
  readonly input?: { readonly kind: string };
}

/** A web server in which nothing runs between two requests: `POST /` takes envelopes, `GET /<thread>` shows a history. */
export const serverless = async (options: SystemOptions, bringBack: BringBack): Promise<Server> => {
  const system = await createSystem({ ...options, resident: false });

  const step = async (posted: readonly Posted[]) => {
    // Who writes to a thread that is not there yet begins it.
    for (const { threadId, input } of posted) if (input?.kind === "text") await system.open(threadId);
    const { threads, wake, timers } = await system.slices(posted, { budget: 20_000 });
    for (const threadId of wake) bringBack(threadId, 0);
    for (const { threadId, at } of timers) bringBack(threadId, at);
    return threads.map(({ error, ...thread }) => ({ ...thread, ...(error && { error: error.message }) }));
  };

  const read = async (threadId: string) => {
    const thread = await system.thread(threadId);
    return (await thread?.history())?.map(({ entry }) => entry) ?? [];
  };

  const server = createServer(async (request, response) => {
    try {
      const isRead = request.method === "GET";
      const answer = isRead
        ? read(decodeURI(request.url ?? "").slice(1))
        : json(request).then((body) => step(body as []));
      response.end(JSON.stringify(await answer));
    } catch (error) {
      const isTheirs = error instanceof InputRefusedError || error instanceof ThreadIdError;
      response.writeHead(isTheirs ? 400 : 500).end(error instanceof Error ? error.message : "");
    }
  });
  return server.on("close", () => void system.stop());
};

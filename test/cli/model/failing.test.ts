import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { fetchFrom } from "../../../src/cli/model/fetch-from.ts";
import { withoutSecret } from "../../../src/cli/model/without-secret.ts";
import { realParts } from "../../../src/cli/run/parts.ts";
import { run } from "../../../src/cli/run/run.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { fakeIo } from "../fake-io.ts";
import { completion, json, serving } from "./server.ts";

const key = "sk-0123456789-secret";

/** `wakeful run --model NAME hi`. */
const running = async (model: string, url: string) => {
  const { io, written } = fakeIo({
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
  });
  const code = await run({ words: ["hi"], tools: [], json: false, model }, io, realParts);
  return { code, ...written };
};
const failure = (said: string): string => `> hi\n[running]\n! ${said} (MODEL_FAILED)\n[idle]\n`;
const names = ["some-model", "openai/gpt-x", "claude-x"];

describe("a model at the other end of a wire", () => {
  it("answers, with the key that is set", async () => {
    let sent = "";
    await using server = await serving((response, key) => {
      sent = key;
      response.writeHead(200, { "content-type": "text/event-stream" }).end(completion("Hel", "lo.").join(""));
    });
    const { code, out, err } = await running("some-model", server.url);
    expect(out).toBe("> hi\n[running]\nHello.\n[idle]\n");
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(sent).toBe(`Bearer ${key}`);
  });

  it.each(names)("that refuses the key, and repeats it, is one line without the key: %s", async (name) => {
    await using server = await serving((response, key) =>
      json(response, 401, {
        type: "error",
        error: { message: `Incorrect API key: ${key}`, type: "auth", param: null },
      }),
    );
    const { code, out, err } = await running(name, server.url);
    expect(out.split("\n")).toHaveLength(5);
    expect(out).toContain("! The request to the model failed (HTTP 401): Incorrect API key: ");
    expect(out + err).not.toContain(key);
    expect(code).toBe(1);
  });

  it("that does not know the model is one line with what it says", async () => {
    await using server = await serving((response) =>
      json(response, 404, { error: { message: "no model some-model" } }),
    );
    const { code, out } = await running("some-model", server.url);
    const where = `${server.url}/chat/completions`;
    expect(out).toBe(failure(`The request to the model failed (HTTP 404 from ${where}): no model some-model.`));
    expect(code).toBe(1);
  });

  it.each(names.flatMap((name) => [200, 404].map((status) => [name, status] as const)))(
    "that answers with a web page is one line that says so: %s, HTTP %d",
    async (name, status) => {
      await using server = await serving((response) =>
        response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html><h1>Hi</h1>"),
      );
      const { code, out } = await running(name, server.url);
      expect(out).toMatch(
        /^> hi\n\[running\]\n! .* answers with a web page \(HTTP \d+\), not as a model does\..*\n\[idle\]\n$/,
      );
      expect(out).toMatch(/Is (OPENAI|ANTHROPIC)_BASE_URL right\? \(MODEL_FAILED\)/);
      expect(code).toBe(1);
    },
  );

  it("that nobody listens at is one line that says so", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const { code, out } = await running("some-model", `http://127.0.0.1:${port}/v1`);
    expect(out).toBe(
      failure(
        `The request to the model failed: http://127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}. Is OPENAI_BASE_URL right?`,
      ),
    );
    expect(code).toBe(1);
  });
});

describe("requests to an address", () => {
  const refused = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }));
  const page = (status: number) => async () =>
    new Response("<html>", { status, headers: { "content-type": "text/html" } });
  const answers = async () => new Response("{}");

  it("may be tried again once it has answered", async () => {
    const replies = [answers, refused];
    const fetch = fetchFrom({ variable: undefined }, () => (replies.shift() ?? refused)());
    await fetch("http://host/v1");
    await expect(fetch("http://host/v1")).rejects.toThrow(TypeError);
  });

  it("are not tried again before", async () => {
    const error = await fetchFrom({ variable: undefined }, refused)("http://host/v1").catch((error: unknown) => error);
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(false);
    expect((error as Error).message).toBe("http://host cannot be reached: connect ECONNREFUSED.");
  });

  it.each([408, 429, 502, 503])("pass on the page of a gateway, which may go away: HTTP %d", async (status) =>
    expect((await fetchFrom({ variable: undefined }, page(status))("http://host/v1")).status).toBe(status),
  );

  it("pass on that they were aborted", async () => {
    const aborted = new DOMException("aborted", "AbortError");
    await expect(fetchFrom({ variable: "X" }, () => Promise.reject(aborted))("http://host/v1")).rejects.toBe(aborted);
  });
});

describe("a model without its secret", () => {
  const told = async (message: string, at: "request" | "part" | "stream", secret = key) => {
    const model = withoutSecret(scriptedModel([{ error: "fatal", message, at }]), secret);
    try {
      const { stream } = await model.doStream({ prompt: [] });
      for await (const part of stream) if (part.type === "error") throw part.error;
    } catch (error) {
      return error;
    }
    throw new Error("it did not fail");
  };

  it.each(["request", "part", "stream"] as const)("says it nowhere when it fails: at the %s", async (at) => {
    const error = await told(`wrong key ${key}`, at);
    expect(String(error)).not.toContain(key);
    expect(JSON.stringify(error)).not.toContain(key);
    expect(String((error as Error).message)).toBe("wrong key (the key)");
  });

  it("leaves words alone that only stand for a key", async () =>
    expect(String(await told("try ollama pull", "request", "ollama"))).toContain("try ollama pull"));

  it("passes on everything else as it is", async () => {
    const inner = scriptedModel([{ chunks: [{ text: key }] }]);
    const { stream } = await withoutSecret(inner, key).doStream({ prompt: [] });
    const parts = [];
    for await (const part of stream) parts.push(part);
    expect(JSON.stringify(parts)).toContain(key);
  });
});

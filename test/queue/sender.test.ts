import { describe, expect, it } from "vitest";
import { ThreadId } from "../../machines/history/ids.ts";
import { InputRefusedError, OptionError, SystemStoppedError, ThreadIdError } from "../../src/errors.ts";
import { type AcceptedInput, onAccepted } from "../../src/queue/notice.ts";
import { createSender } from "../../src/queue/sender.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { alpha, spec, waitingIn } from "../../src/testing/store/material.ts";
import { textFor } from "../../src/tool/text-for.ts";

const text = (dedupId: string, words = "hi") => ({ threadId: alpha, dedupId, input: { kind: "text", text: words } });

const bench = async (options: Parameters<typeof createSender>[1] = {}) => {
  const store = memoryStore();
  await store.create(alpha, spec, 1);
  return { store, sender: createSender(store, options) };
};

describe("a sender on a store", () => {
  it("says whether an input was new or a repetition (R2)", async () => {
    const { sender, store } = await bench();
    expect(await sender.send(text("1"))).toBe(true);
    expect(await sender.send(text("1", "again"))).toBe(false);
    expect(await waitingIn(store, alpha)).toEqual(["1"]);
  });

  it("rejects what the door refuses, and what the store refuses, each with the reason", async () => {
    const { sender } = await bench({ inboxLimit: 1, inputSize: 10 });
    await expect(sender.send(text("1", "far too long"))).rejects.toThrow(/12 bytes, and 10 are taken/);
    await expect(sender.send({ ...text("1"), threadId: "nobody" })).rejects.toThrow(/no such thread/);
    // The user has as much room again as everybody else.
    await sender.send(text("1"));
    await sender.send(text("2"));
    const full = sender.send(text("3"));
    await expect(full).rejects.toThrow(InputRefusedError);
    await expect(full).rejects.toThrow(/inbox is full/);
  });

  it("tells whoever listens at the store, of other stores nothing, and no more after they left", async () => {
    const { sender, store } = await bench();
    const heard: AcceptedInput[] = [];
    const deaf = onAccepted(store, (_, accepted) => void heard.push(...accepted));
    onAccepted(memoryStore(), () => expect.unreachable());
    await sender.send(text("1"));
    deaf();
    await sender.send(text("2"));
    expect(heard.map(({ waiting, feed }) => [waiting.dedupId, feed])).toEqual([["1", 1]]);
  });

  it("opens a thread once, which takes inputs from then on; what it was opened with stays", async () => {
    const { sender, store } = await bench();
    const given = { tools: ["look", "look"], instructions: "Be brief.", metadata: { tenant: "acme" } };
    expect(await sender.open("acme/pull/7", given)).toBe(true);
    given.metadata.tenant = "globex";
    expect(await sender.open("acme/pull/7", { instructions: "Be long." })).toBe(false);
    expect(await sender.send(textFor("acme/pull/7", "hi", { id: "1" }))).toBe(true);
    expect(await sender.send(textFor("acme/pull/7", "hi", { id: "1" }))).toBe(false);
    expect(await sender.send(textFor("acme/pull/7", "hi", { id: "1", sender: "forge" }))).toBe(true);
    const loaded = await store.load(ThreadId.parse("acme/pull/7"));
    expect(loaded?.spec).toEqual({ tools: ["look"], instructions: "Be brief.", metadata: { tenant: "acme" } });
    expect(loaded?.inbox.map(({ dedupId }) => dedupId)).toEqual(["1", "1"]);
  });

  it("opens nothing under an id that is none, with options that cannot be stored, or once it is stopped", async () => {
    const { sender, store } = await bench({ inputSize: 10 });
    await expect(sender.open("a thread")).rejects.toThrow(ThreadIdError);
    await expect(sender.open("acme", { tools: [{} as never] })).rejects.toThrow(/tools: takes a list of names/);
    await expect(sender.open("acme", { instructions: 1 as never })).rejects.toThrow(/instructions: takes a text/);
    await expect(sender.open("acme", { metadata: { long: "far too long" } })).rejects.toThrow(OptionError);
    expect(() => textFor("a thread", "hi")).toThrow(ThreadIdError);
    await sender.stop();
    await expect(sender.open("acme")).rejects.toThrow(SystemStoppedError);
    expect((await store.threads()).map(({ threadId }) => threadId)).toEqual([alpha]);
  });

  it("finishes what is under way when it is stopped, then refuses; the store stays open", async () => {
    const { sender, store } = await bench();
    const sent = sender.send(text("1"));
    await sender.stop();
    expect(await sent).toBe(true);
    await expect(sender.send(text("2"))).rejects.toThrow(SystemStoppedError);
    expect(await waitingIn(store, alpha)).toEqual(["1"]);
  });
});

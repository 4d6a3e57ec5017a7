import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callIdOf, ThreadId } from "../../machines/history/ids.ts";
import { Envelope } from "../../machines/thread/input.ts";
import { AddressError } from "../../src/errors.ts";
import { encodeAddress, eventFor, parseAddress, progressFor, resultFor } from "../../src/tool/address.ts";

const threadId = ThreadId.parse("acme/build-42");
const callId = callIdOf(threadId, 3, 1);
const address = encodeAddress({ threadId, callId });

describe("a call's address", () => {
  it("names thread and call in one string that fits into a URL", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._:/@-]{1,200}$/), fc.nat(), fc.nat(), (id, turn, position) => {
        const of = { threadId: ThreadId.parse(id), callId: callIdOf(ThreadId.parse(id), turn, position) };
        expect(encodeAddress(of)).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(parseAddress(encodeAddress(of))).toEqual(of);
      }),
    );
  });

  it("is refused as soon as a character of it is missing, or when it is something else", () => {
    for (let length = 0; length < address.length; length++)
      expect(() => parseAddress(address.slice(0, length))).toThrow(AddressError);
    for (const other of [`${address}A`, `${address}=`, address.slice(3), "w1_W10", "w2_abc", "", undefined, 7])
      expect(() => parseAddress(other as string)).toThrow(AddressError);
  });

  it("refuses every string that it did not make", () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => parseAddress(`w1_${text}`)).toThrow(AddressError);
      }),
    ));
});

describe("a result delivered by hand", () => {
  it("is an envelope that the door takes", () => {
    const envelope = resultFor(address, { content: "done", display: "Build done" }, { subscription: true, id: "r1" });
    expect(Envelope.parse(envelope)).toEqual({
      threadId,
      dedupId: "r1",
      input: {
        kind: "result",
        callId,
        origin: "tool",
        subscription: true,
        content: [{ type: "text", text: "done" }],
        display: [{ type: "text", content: "Build done" }],
      },
    });
  });

  it("R2: is the same input when its webhook is delivered again, and another one when it says something else", () => {
    const first = resultFor(address, "green");
    expect(resultFor(address, [{ type: "text", text: "green" }])).toEqual(first);
    const others = [
      resultFor(address, "red"),
      resultFor(address, { error: "green" }),
      resultFor(address, "green", { subscription: true }),
      resultFor(address, "green", { display: [{ type: "text", content: "x" }] }),
    ];
    expect(new Set([first, ...others].map(({ dedupId }) => dedupId)).size).toBe(5);
    expect(resultFor(address, "red", { id: "same" }).dedupId).toBe(resultFor(address, "blue", { id: "same" }).dedupId);
  });

  it("R2: has an id that another process makes as well", () =>
    expect(resultFor(address, "green").dedupId).toBe("sha256-YlTvk2VG2ZLUJ3-iRhPRuVfLI41Xr4SHWaWZjiB2_co"));

  it("says what went wrong as an error", () =>
    expect(resultFor(address, { error: "no such build" }).input).toMatchObject({
      error: true,
      content: [{ type: "text", text: "Error: no such build" }],
    }));
});

describe("an event delivered by hand", () => {
  it("has a fresh id unless it is given one, because losing an event is worse than seeing it twice", () => {
    expect(eventFor(address, { text: "a" }).dedupId).not.toBe(eventFor(address, { text: "a" }).dedupId);
    expect(eventFor(address, { text: "a", id: "e1" }).dedupId).toBe("e1");
  });

  it("is an envelope that the door takes, with safe text", () => {
    expect(Envelope.parse(eventFor(address, { text: "a\0\ud800", associative: true, final: true })).input).toEqual({
      kind: "event",
      callId,
      text: "a\uFFFD\uFFFD",
      associative: true,
      final: true,
    });
    expect(eventFor(address, { text: "a" }).input).toMatchObject({ associative: false, final: false });
  });

  it("has a sibling for progress", () => {
    expect(Envelope.parse(progressFor(address, "half", { id: "p1" }))).toEqual({
      threadId,
      dedupId: "p1",
      input: { kind: "progress", callId, text: "half" },
    });
    expect(progressFor(address, "a").dedupId).not.toBe(progressFor(address, "a").dedupId);
  });
});

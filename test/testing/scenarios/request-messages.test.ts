import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../../machines/history/entry.ts";
import { createPromptBuilder } from "../../../src/prompt/builder.ts";
import type { SeenMessage } from "../../../src/testing/scenarios/messages.ts";
import { requestMessages } from "../../../src/testing/scenarios/request-messages.ts";
import { storedMessages } from "../../../src/testing/scenarios/stored-messages.ts";
import { anyChildHistory, anyRequestHistory, anyStyle } from "../../support/history/histories.ts";

type Style = Parameters<typeof createPromptBuilder>[0];

const asCalls: Style = { eventsAs: "call", supportsImages: false };
const asText: Style = { eventsAs: "text", supportsImages: false };

const requested = (entries: readonly PlacedEntry[], style: Style) =>
  requestMessages(createPromptBuilder(style).prompt("You wait.", entries), entries);

/** What stays the same in every form of a request: who answered which call, and what came in. */
const skeleton = (messages: readonly SeenMessage[]) =>
  messages
    .filter(({ kind }) => kind !== "text" && kind !== "reasoning")
    .map(({ kind, call, name, origin }) => ({ kind, call, origin, ...(call !== undefined && { name }) }));

describe("a request in the words of the format", () => {
  it("has the calls, results and events of the history, whatever it is and however events are shown", () =>
    fc.assert(
      fc.property(fc.oneof(anyRequestHistory, anyChildHistory), anyStyle, (entries, style) => {
        expect(skeleton(requested(entries, style))).toEqual(skeleton(storedMessages(entries)));
      }),
    ));

  it("has the user's texts with the mark of an interruption, and no system prompt", () => {
    const entries: PlacedEntry[] = [
      { position: 0, entry: { kind: "user", at: 0, text: "go" } },
      { position: 1, entry: { kind: "user", at: 0, text: "no", interrupt: true } },
    ];
    expect(requested(entries, asCalls)).toEqual([
      { role: "user", kind: "text", text: "go", interrupt: false },
      { role: "user", kind: "text", text: "no", interrupt: true },
    ]);
  });

  it("counts an event or a seed shown as a text block as the pair it stands for", () =>
    fc.assert(
      fc.property(fc.oneof(anyRequestHistory, anyChildHistory), (entries) => {
        const events = (style: Style) =>
          requested(entries, style)
            .filter(({ kind }) => kind.startsWith("event") || kind.startsWith("seed"))
            .map(({ kind, args, source_call, source_tool, source_args, text }) => ({
              kind,
              args,
              source_call,
              source_tool,
              source_args,
              text,
            }));
        expect(events(asText)).toEqual(events(asCalls));
      }),
    ));

  it("leaves out the place of a result that is not there yet", () => {
    const callId = "t1#1.0" as never;
    const entries: PlacedEntry[] = [
      { position: 0, entry: { kind: "user", at: 0, text: "go" } },
      {
        position: 1,
        entry: { kind: "turn", at: 0, parts: [{ type: "call", callId, providerCallId: "c1", name: "a", args: {} }] },
      },
    ];
    expect(requested(entries, asCalls).map(({ kind }) => kind)).toEqual(["text", "tool_call"]);
  });
});

import { describe, expect, it } from "vitest";
import type { MessagePattern } from "../../../src/testing/scenarios/expectation-schema.ts";
import {
  matches,
  mismatches,
  type SeenMessage,
  tellMessage,
  tellPattern,
} from "../../../src/testing/scenarios/messages.ts";

const image = { type: "image", data: "aGVsbG8=", media_type: "image/png" } as const;
const result: SeenMessage = {
  role: "tool",
  kind: "tool_result",
  name: "lookup",
  call: "c1",
  origin: "tool",
  text: "found it",
  content: [{ type: "text", text: "found it" }, image],
};
const call: SeenMessage = { role: "assistant", kind: "tool_call", name: "lookup", call: "c1", args: { id: [1] } };
const event: SeenMessage = {
  role: "assistant",
  kind: "event_call",
  source_call: "s1",
  source_tool: "watch",
  source_args: { topic: "x" },
};

describe("a message pattern", () => {
  it.each<[MessagePattern, SeenMessage]>([
    [{}, result],
    [{ role: "tool", kind: "tool_result", name: "lookup", call: "c1", origin: "tool", text_contains: "found" }, result],
    [{ content: [{ type: "text", text: "found it" }, image] }, result],
    [{ args: { id: [1] } }, call],
    [{ source_call: "s1", source_tool: "watch", source_args: { topic: "x" } }, event],
    [{ interrupt: false }, { role: "user", kind: "text", text: "go" }],
    [{ interrupt: true }, { role: "user", kind: "text", text: "go", interrupt: true }],
  ])("matches what has all that it lists: %j", (pattern, seen) => expect(matches(pattern, seen)).toBe(true));

  it.each<[keyof MessagePattern, MessagePattern, SeenMessage]>([
    ["role", { role: "user" }, result],
    ["kind", { kind: "tool_call" }, result],
    ["name", { name: "look" }, result],
    ["call", { call: "c1@2" }, result],
    ["origin", { origin: "sync" }, result],
    ["text_contains", { text_contains: "lost" }, result],
    ["text_contains", { text_contains: "" }, call],
    ["content", { content: [{ type: "text", text: "found it" }] }, result],
    ["content", { content: [{ type: "text", text: "found it" }, { type: "image_placeholder" }] }, result],
    ["args", { args: { id: [2] } }, call],
    ["args", { args: {} }, call],
    ["source_call", { source_call: "s2" }, event],
    ["source_tool", { source_tool: "lookup" }, event],
    ["source_args", { source_args: {} }, event],
    ["interrupt", { interrupt: true }, { role: "user", kind: "text", text: "go" }],
    ["interrupt", { interrupt: false }, { role: "user", kind: "text", text: "go", interrupt: true }],
  ])("does not match where %s differs", (key, pattern, seen) => expect(mismatches(pattern, seen)).toEqual([key]));

  it("is told in the form in which messages are", () => {
    expect([tellMessage(result), tellMessage(call), tellMessage(event)]).toEqual([
      'tool tool_result lookup c1 (tool) "found it" + [image/png aGVsbG8=]',
      'assistant tool_call lookup c1 {"id":[1]}',
      'assistant event_call of watch s1 {"topic":"x"}',
    ]);
    expect([
      tellPattern({}),
      tellPattern({ kind: "text", interrupt: false, text_contains: 'say "a"' }),
      tellPattern({ call: "c1", content: [{ type: "image_placeholder" }] }),
    ]).toEqual(["anything", 'text (no interrupt) "…say \\"a\\"…"', "c1 [image placeholder]"]);
  });
});

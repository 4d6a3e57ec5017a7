import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Origin } from "../../machines/history/entry.ts";
import type { Failure } from "../../machines/round/turn.ts";
import type { DiscardReason, ThreadState } from "../../machines/thread/commit.ts";
import { exitCodes, exitCodesHelp, signalCode } from "../../src/cli/exit-codes.ts";
import { shownOfResult } from "../../src/prompt/cut.ts";
import type { System, SystemOptions, Thread } from "../../src/system/api.ts";
import { defaultLimits } from "../../src/system/limits.ts";
import type { UpdateType } from "../../src/thread/update.ts";
import { builtinTools } from "../../src/tool/builtin/index.ts";
import { bufferLimit } from "../../src/tool/producer.ts";
import { storedLimit } from "../../src/tool/result.ts";
import { firstCells, root, rows, section } from "./pages.ts";

const page = "docs/reference.md";
/** The keys of a record that the compiler holds to be complete. */
const all = <K extends string>(names: Record<K, true>) => Object.keys(names).sort();
const told = (heading: string) => firstCells(page, heading).sort();
const grouped = (value: number) => value.toLocaleString("en-US");

const updateTypes = all<UpdateType>({
  "call.made": true,
  "child.ended": true,
  "child.opened": true,
  "call.progressed": true,
  "call.settled": true,
  "choice.answered": true,
  "choice.closed": true,
  "choice.opened": true,
  "configuration.failed": true,
  "entry.added": true,
  "input.accepted": true,
  "input.deferred": true,
  "input.discarded": true,
  "oauth.required": true,
  "round.ended": true,
  "round.retried": true,
  "round.started": true,
  "slice.ended": true,
  "state.changed": true,
  "subscription.ended": true,
  "subscription.opened": true,
  "text.delta": true,
  "thread.halted": true,
  "thread.resumed": true,
  "history.repaired": true,
  "history.compacting": true,
  "history.compacted": true,
  "thread.quarantined": true,
  "thread.released": true,
  "thinking.delta": true,
  "thinking.ended": true,
  "thinking.started": true,
  "view.updated": true,
  failure: true,
  gap: true,
});

/** All names in the first cells under a heading, without arguments. */
const named = (heading: string) =>
  rows(section(page, heading))
    .flatMap(([cell = ""]) => cell.replaceAll(/\(.*?\)/g, "").split(/`?, `?/))
    .sort();
/** What a module exports, types too; errors are in a table of their own. */
const exportsOf = (path: string) =>
  [...readFileSync(new URL(path, root), "utf8").matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]*)"/gm)]
    .filter(([, , from = ""]) => !from.endsWith("/errors.ts"))
    .flatMap(([, names = ""]) => names.split(",").map((name) => name.replace("type ", "").trim()))
    .filter((name) => name !== "")
    .sort();

describe("the reference", () => {
  it.each([
    ["From wakeful", "src/index.ts"],
    ["From wakeful/sqlite", "src/store/sqlite.ts"],
    ["From wakeful/testing", "src/testing/index.ts"],
  ])("has every name of a module: %s", (heading, path) => expect(named(heading)).toEqual(exportsOf(path)));

  it("has every option and member of a system", () =>
    expect(named("A system")).toEqual(
      [
        ...all<keyof SystemOptions>({
          model: true,
          modelOptions: true,
          store: true,
          tools: true,
          toolbox: true,
          builtins: true,
          approval: true,
          instructions: true,
          threadConfig: true,
          onModelFailure: true,
          prices: true,
          budget: true,
          limits: true,
          logger: true,
          clock: true,
          random: true,
          resident: true,
          inspect: true,
        }),
        ...all<keyof System>({
          open: true,
          launch: true,
          thread: true,
          threads: true,
          deliver: true,
          slices: true,
          feed: true,
          inspect: true,
          useModel: true,
          stop: true,
        }),
      ].sort(),
    ));

  it("has every member of a thread", () =>
    expect(named("A thread")).toEqual(
      all<keyof Thread>({
        id: true,
        send: true,
        ask: true,
        interrupt: true,
        halt: true,
        close: true,
        compact: true,
        release: true,
        choices: true,
        answer: true,
        atRest: true,
        state: true,
        state$: true,
        view: true,
        usage: true,
        reload: true,
        snapshot: true,
        history: true,
        updates: true,
        updates$: true,
        treeUpdates$: true,
      }),
    ));

  it("has every limit with its default", () =>
    expect(rows(section(page, "Limits")).map(([limit, value]) => [limit, value])).toEqual(
      Object.entries(defaultLimits).map(([limit, value]) => [limit, grouped(value)]),
    ));

  it("has the limits that no option changes", () => {
    const text = section(page, "Limits");
    for (const said of [
      `${storedLimit / 1024 / 1024} MB of a result`,
      `${grouped(shownOfResult)} characters`,
      `${grouped(bufferLimit)} events`,
    ])
      expect(text).toContain(said);
  });

  it("has every state", () =>
    expect(told("States")).toEqual(
      all<ThreadState>({
        running: true,
        awaitingActiveCall: true,
        idlePassive: true,
        subscribed: true,
        idle: true,
        closed: true,
      }),
    ));

  it("has every type of update", () => expect(told("Updates")).toEqual(updateTypes));

  it("has every reason to discard an input", () =>
    expect(told("Why an input is discarded")).toEqual(
      all<DiscardReason>({
        "call-not-outstanding": true,
        "call-already-answered": true,
        "unknown-source": true,
        "subscription-ended": true,
        "not-due": true,
        "choice-closed": true,
        "choice-known": true,
        "no-such-choice": true,
        "not-quarantined": true,
        halted: true,
        closed: true,
      }),
    ));

  it("names only origins that there are", () => {
    for (const origin of told("Where a result comes from")) expect(Origin.options).toContain(origin);
  });

  it("has every code of a failure", () =>
    expect(told("Failures")).toEqual(
      all<Failure["code"] | "TOOL_FAILED">({
        MODEL_FAILED: true,
        MODEL_UNAVAILABLE: true,
        CONTEXT_TOO_LONG: true,
        TURN_TRUNCATED: true,
        TURN_FILTERED: true,
        ROUND_LIMIT: true,
        REPEATED_CALL: true,
        BUDGET_REACHED: true,
        QUARANTINED: true,
        TOOL_FAILED: true,
      }),
    ));

  it("has every error class with its code, or with its codes below", () => {
    const source = readFileSync(new URL("src/errors.ts", root), "utf8");
    const classes = source
      .split(/^export class /m)
      .slice(1)
      .map((text) => ({
        name: /^\w+/.exec(text)?.[0],
        codes: [...(/readonly code\b([^;]*);/.exec(text)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(([, code]) => code),
      }));
    const below = "[see below](#the-file-of-a-store)";
    expect(rows(section(page, "Errors")).map(([name, code]) => [name, code])).toEqual(
      classes.map(({ name, codes }) => [name, codes.length === 1 ? codes[0] : below]),
    );
    expect(firstCells(page, "The file of a store")).toEqual(
      classes.flatMap(({ codes }) => (codes.length === 1 ? [] : codes)),
    );
  });

  it("has every built-in tool", () =>
    expect(told("Built-in tools")).toEqual(builtinTools.map(({ name }) => name).sort()));

  it("has every exit code, in the words of --help", () => {
    const codes = rows(section(page, "Command line")).slice(0, 6);
    expect(codes.map(([code]) => Number(code))).toEqual([
      ...Object.values(exitCodes),
      signalCode("SIGINT"),
      signalCode("SIGTERM"),
    ]);
    for (const [code, text] of codes.slice(0, 4))
      expect(exitCodesHelp).toMatch(new RegExp(`^ *${code} +${text}$`, "m"));
  });
});

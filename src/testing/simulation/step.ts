import type { CrashPoint } from "../../crash-points.ts";
import type { ScriptedEnd } from "../../model/scripted/answer.ts";

/**
 * What somebody sends before it is known to whom. `pick` runs over every thread, or over every call that was ever made
 * and some that never were: a story says the same whatever became of the steps before.
 */
export type Sketch =
  | { readonly kind: "text"; readonly waits: boolean }
  | { readonly kind: "result"; readonly pick: number; readonly subscription: boolean; readonly error: boolean }
  | { readonly kind: "event"; readonly pick: number; readonly associative: boolean; readonly final: boolean }
  | { readonly kind: "progress"; readonly pick: number }
  /** `choice`: a number, also one that the question does not have. */
  | { readonly kind: "answer"; readonly pick: number; readonly choice: number }
  | { readonly kind: "interrupt" | "halt" | "close" | "release" | "compact" };

/** `id`: a dedup id from a small pool, so that ids of different origins meet; null for a fresh one. */
export interface Addressed {
  readonly thread: number;
  readonly id: number | null;
  readonly sketch: Sketch;
}

/** What a call's tool comes to. */
export type How = "well" | "throws" | "nothing" | "odd" | "never";

export type Said =
  | { readonly says: "text" | "blank" | "reasoning" | "unsigned reasoning" }
  /** `id`: what the provider calls it; `garbled`: its arguments do not parse. */
  | {
      readonly says: "call";
      readonly tool: string;
      readonly how: How;
      readonly pick: number;
      readonly id: "own" | "empty" | "same";
      readonly garbled?: true;
    };

export type Happening =
  /** Inputs that are delivered together; `there`: from a process that runs no system. */
  | { readonly do: "send"; readonly inputs: readonly Addressed[]; readonly there: boolean }
  /** An envelope that was sent before is sent again, by a sender who was not told (R2). */
  | { readonly do: "again"; readonly pick: number }
  /** The model goes on with one of the open requests. */
  | { readonly do: "answer"; readonly pick: number; readonly said: readonly Said[]; readonly end: ScriptedEnd }
  /** A producer says something. */
  | {
      readonly do: "emit";
      readonly pick: number;
      readonly what: "associative" | "threaded" | "repeat" | "final" | "complete" | "error" | "nonsense";
    }
  | { readonly do: "pass"; readonly ms: number }
  /** The store refuses to work, so many times. */
  | { readonly do: "fail"; readonly times: number }
  /** Who says what threads work with throws, answers nonsense, or does not answer at all, so many times. */
  | { readonly do: "misconfigure"; readonly times: number; readonly how: "throws" | "odd" | "never" }
  /** The application brings another model: what is loaded is out of date. */
  | { readonly do: "switch" }
  /** The process ends in the middle of everything, and another begins on the same store. */
  | { readonly do: "crash" }
  /** The process ends when it comes to that point for the `nth` time from here. */
  | { readonly do: "crash at"; readonly point: CrashPoint; readonly nth: number }
  /** The system stops in good order, and another begins. */
  | { readonly do: "restart" }
  /** The process stands still until its lease has run out and another has taken over; then it goes on, unaware. */
  | { readonly do: "take over" };

/** What happens, and how many of the pending operations end before the next thing does. */
export type Step = Happening & { readonly lets: number };

/** A story: the same in every play. `chance` decides in which order operations end. */
export interface Story {
  readonly seed: number;
  readonly chance: number;
  /** The model signs its calls, refuses those it did not sign, and is shown events as text. */
  readonly signs: boolean;
  /** Each slice asks what its thread works with. */
  readonly configures: boolean;
  readonly steps: readonly Step[];
}

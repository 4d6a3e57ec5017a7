import { type Intent, number, sentence } from "../intent.ts";
import { secondsOf } from "./sleep.ts";
import { watchBuild } from "./watch-build.ts";

const asks = new RegExp(
  `^remind me (?:in|after) (${number})(?: ?(s|seconds?|sec|m|minutes?|min|h|hours?))?` +
    "(?: (?:to|of|that) (.+?))?(?: while (?:(?:i|we) .+|you (.+)))?$",
  "is",
);

/**
 * A sleep beside whatever else goes on. Nothing tells how much of it was left when something woke it, so it begins anew:
 * a reminder comes late rather than early. A build that is named to be watched meanwhile is watched from before the sleep.
 */
export const remind: Intent = {
  name: "remind",
  example: "remind me in 2 seconds while you watch",
  tool: "sleep",
  read: (piece) => {
    const [, amount, unit, what, beside = ""] = asks.exec(piece) ?? [];
    if (amount === undefined) return undefined;
    const seconds = secondsOf(amount, unit);
    const words = what === undefined ? `${seconds} ${seconds === 1 ? "second is" : "seconds are"} over` : what;
    return [
      ...[watchBuild.read(beside) ?? []].flat(),
      { kind: "call", name: "sleep", args: { seconds }, waits: true, again: true },
      { kind: "say", text: sentence(`Your reminder: ${words}`), ifDone: true },
    ];
  },
};

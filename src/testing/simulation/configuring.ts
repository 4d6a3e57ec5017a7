import type { ThreadConfig, ThreadConfigSource } from "../../system/thread-config.ts";
import type { Gate } from "./gate.ts";
import { type Mortal, never } from "./gate.ts";
import type { Happening } from "./step.ts";

type Misconfigured = Extract<Happening, { do: "misconfigure" }>;

/** Who says what threads work with: something new each time, unless the story has it fail. */
export class Configuring {
  #failing: { readonly how: Misconfigured["how"]; left: number } | undefined;
  #count = 0;

  fail({ times, how }: Misconfigured): void {
    this.#failing = { how, left: times };
  }

  recover(): void {
    this.#failing = undefined;
  }

  of(life: Mortal, gate: Gate): ThreadConfigSource {
    return async ({ parent }) => {
      await gate.turn(life);
      const failing = this.#failing;
      if (failing && failing.left-- > 0) {
        if (failing.how === "never") return never;
        if (failing.how === "throws") throw new Error("secret of a configuration");
        return { tools: 5 } as unknown as ThreadConfig;
      }
      // A child works with what its parent has.
      return parent === null ? { instructions: `conf${this.#count++}` } : undefined;
    };
  }
}

/** Which of the configurations a request was made with; undefined where threads have none of their own. */
export const configurationIn = (prompt: readonly unknown[]): string | undefined =>
  /conf\d+/.exec(JSON.stringify(prompt[0] ?? ""))?.[0];

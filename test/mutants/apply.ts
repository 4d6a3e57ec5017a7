import type { Plugin } from "vite";
import { type Mutant, replacement } from "./mutants.ts";

/** Where a word is brought: by the chart, or, for an effect, by who runs the chart. */
interface Place {
  readonly file: string;
  /** The name that the file exports. */
  readonly exported: string;
  /** That export, made from `original`. */
  readonly made: (mutant: Mutant) => string;
}

const provided = (mutant: Mutant): string => `original.provide(${replacement(mutant)})`;

const charts: Record<Mutant["machine"], Place> = {
  thread: { file: "machines/thread/machine.ts", exported: "threadMachine", made: provided },
  round: { file: "machines/round/machine.ts", exported: "roundMachine", made: provided },
};

/** Effects are provided behind the chart, which would undo the mutant there. */
const effects: Record<Mutant["machine"], Place> = {
  thread: {
    file: "src/thread/effects.ts",
    exported: "runnableThread",
    made: (mutant) => `(...given) => original(...given).provide(${replacement(mutant)})`,
  },
  round: {
    file: "src/thread/effects.ts",
    exported: "runnableThread",
    made: (mutant) =>
      `(...given) => { const machine = original(...given); return machine.provide({ actors: { round: ` +
      `machine.implementations.actors.round.provide(${replacement(mutant)}) } }); }`,
  },
};

const namesOfEffects = ["record", "abort", "announce", "cutInline", "announceRetry"];

/** The source with its export replaced by one with the mutant in it. Throws when the file does not export that name. */
const mutated = (source: string, { file, exported, made }: Place, mutant: Mutant): string => {
  const declaration = `export const ${exported} =`;
  if (!source.includes(declaration))
    throw new Error(`${file} has no "${declaration}": ${mutant.id} cannot be applied.`);
  return `${source.replace(declaration, "const original =")}\nexport const ${exported} = ${made(mutant)};\n`;
};

/** Breaks one word of a chart while the tests are loaded; the files stay as they are. */
export const applied = (mutant: Mutant): Plugin => {
  const place = (namesOfEffects.includes(mutant.name) ? effects : charts)[mutant.machine];
  return {
    name: "one-mutant",
    enforce: "pre",
    transform: (source, id) => (id.endsWith(`/${place.file}`) ? mutated(source, place, mutant) : undefined),
  };
};

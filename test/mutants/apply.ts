import type { Plugin } from "vite";
import { type Mutant, replacement } from "./mutants.ts";

/** Where a word can be brought: by the chart, and, for an effect, by who runs the chart. */
interface Place {
  readonly file: string;
  /** The name that the file exports. */
  readonly exported: string;
  /** That export, made from `original`. */
  readonly made: (mutant: Mutant) => string;
}

const chart = (machine: Mutant["machine"]): Place => ({
  file: `machines/${machine}/machine.ts`,
  exported: `${machine}Machine`,
  made: (mutant) => `original.provide(${replacement(mutant)})`,
});

/** Effects are provided behind the chart, which would undo a mutant that is applied there alone. */
const runtime = (made: Place["made"]): Place => ({ file: "src/thread/effects.ts", exported: "runnableThread", made });

const places: Record<Mutant["machine"], readonly Place[]> = {
  thread: [chart("thread"), runtime((mutant) => `(...given) => original(...given).provide(${replacement(mutant)})`)],
  round: [
    chart("round"),
    runtime(
      (mutant) =>
        `(...given) => { const machine = original(...given); return machine.provide({ actors: { round: ` +
        `machine.implementations.actors.round.provide(${replacement(mutant)}) } }); }`,
    ),
  ],
};

/** The source with its export replaced by one with the mutant in it. Throws when the file does not export that name. */
const mutated = (source: string, { file, exported, made }: Place, mutant: Mutant): string => {
  const declaration = `export const ${exported} =`;
  if (!source.includes(declaration))
    throw new Error(`${file} has no "${declaration}": ${mutant.id} cannot be applied.`);
  return `${source.replace(declaration, "const original =")}\nexport const ${exported} = ${made(mutant)};\n`;
};

/** Breaks one word of a chart while the tests are loaded; the files stay as they are. */
export const applied = (mutant: Mutant): Plugin => ({
  name: "one-mutant",
  enforce: "pre",
  transform(source, id) {
    const place = places[mutant.machine].find(({ file }) => id.endsWith(`/${file}`));
    return place && mutated(source, place, mutant);
  },
});

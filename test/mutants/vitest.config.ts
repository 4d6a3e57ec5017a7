import { fileURLToPath } from "node:url";
import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { applied } from "./apply.ts";
import { mutants } from "./mutants.ts";

const id = process.env.WAKEFUL_MUTANT;
const mutant = mutants.find((other) => other.id === id);
if (id && !mutant) throw new Error(`There is no mutant ${id}.`);

/** The tests of the charts with the mutant named by WAKEFUL_MUTANT, or, without one, as they are. */
export default mergeConfig(
  base,
  defineConfig({
    root: fileURLToPath(new URL("../../", import.meta.url)),
    plugins: mutant ? [applied(mutant)] : [],
    test: {
      // A test that never ends is ended with its process: threads end with it.
      pool: "threads",
      maxWorkers: 1,
      // A machine under load is no mutant that was noticed.
      testTimeout: 120_000,
      setupFiles: ["test/mutants/no-shrinking.ts"],
    },
  }),
);

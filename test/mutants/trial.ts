import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where what the charts do is told; the later ones are asked only while the earlier ones notice nothing. */
const stages: readonly (readonly string[])[] = [["test/thread", "test/round"], ["test/system"]];

/** Failing tests after which a trial ends: one is enough to know, a few are good to read. */
const enough = 3;

export interface Trial {
  /** Tests that failed, as `file > title`; what could not even be loaded is among them. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly ended: "by itself" | "by force";
  readonly ms: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const failuresOf = ({ testResults }: Report): string[] =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(root.length);
    const failed = assertionResults.filter((result) => result.status === "failed");
    // A file that was still to come when enough had failed is told as failed, and says nothing.
    if (failed.length === 0 && status === "failed" && message.trim() !== "")
      return [`${file} > ${message.split("\n")[0]}`];
    return failed.map(({ fullName }) => `${file} > ${fullName}`);
  });

/** Runs tests of the charts with one mutant, or as they are. Ends them by force after `limit` ms. */
const stage = async (rooms: readonly string[], mutant: string | undefined, limit: number): Promise<Trial> => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-mutant-"));
  const outputFile = join(folder, "report.json");
  const began = performance.now();
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const flags = [
      "--config",
      "test/mutants/vitest.config.ts",
      "--no-fsModuleCache",
      "--reporter=json",
      `--outputFile=${outputFile}`,
    ];
    const child = spawn(process.execPath, [vitest, "run", ...rooms, ...flags, `--bail=${mutant ? enough : 0}`], {
      cwd: root,
      env: { ...process.env, CI: "true", WAKEFUL_MUTANT: mutant ?? "" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
    const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
    child.on("close", () => resolve()).on("error", reject);
    const alarm = setTimeout(() => child.kill("SIGKILL"), limit);
    await closed;
    clearTimeout(alarm);
    const ms = Math.round(performance.now() - began);
    if (child.signalCode === "SIGKILL") return { failed: [], passed: 0, ended: "by force", ms };
    if (!existsSync(outputFile)) throw new Error(`The tests of ${mutant ?? "the charts"} told nothing.\n${said}`);
    const report = JSON.parse(readFileSync(outputFile, "utf8")) as Report;
    return { failed: failuresOf(report), passed: report.numPassedTests, ended: "by itself", ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Runs the tests of the charts with one mutant until some notice, or all of them as they are. `limit`: ms of a stage. */
export const trial = async (mutant: string | undefined, limit: number): Promise<Trial> => {
  let passed = 0;
  let ms = 0;
  for (const rooms of stages) {
    const told = await stage(rooms, mutant, limit);
    passed += told.passed;
    ms += told.ms;
    if (told.failed.length > 0 || told.ended === "by force") return { ...told, passed, ms };
  }
  return { failed: [], passed, ended: "by itself", ms };
};

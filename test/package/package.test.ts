import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import metadata from "../../package.json" with { type: "json" };
import { pageFaults } from "../checks/docs.ts";
import { nodePackage, type Packed, pack, project, root, run, Unreachable } from "./npm.ts";

const minutes = 60_000;
/** Folders that have a `node`, by major version. */
const nodes: Record<string, string> = { 26: join(root, "node_modules/node/bin") };
const [newest = ""] = Object.values(nodes);
let folder: string;
let packed: Packed;
let app: string;
/** A project that has fast-check, too, as the suites need it. */
let suite: string;
let unreachable: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wakeful-package-"));
  const withOlderNode = project(newest, join(folder, "node24"), `${nodePackage()}@24`);
  const withWakeful = pack(newest, join(folder, "repository")).then(async (made) => {
    packed = made;
    const fastCheck = `fast-check@${metadata.devDependencies["fast-check"]}`;
    suite = await project(newest, join(folder, "suite"), made.tarball, fastCheck);
    return project(newest, join(folder, "app"), made.tarball);
  });
  const [older, installed] = await Promise.allSettled([withOlderNode, withWakeful]);
  for (const each of [older, installed])
    if (each.status === "rejected" && each.reason instanceof Unreachable) {
      unreachable = each.reason.message;
      console.warn(`The installed package is not tested: ${unreachable}.`);
      return;
    }
  if (older.status === "rejected") throw older.reason;
  if (installed.status === "rejected") throw installed.reason;
  nodes[24] = join(older.value, "node_modules", nodePackage(), "bin");
  app = installed.value;
  await cp(join(root, "test/package/project"), app, { recursive: true });
  await cp(join(root, "test/package/suite"), suite, { recursive: true });
  await cp(join(suite, "node_modules/wakeful/docs/examples/json-store.ts"), join(suite, "json-store.ts"));
}, 10 * minutes);

afterAll(() => rm(folder, { recursive: true, force: true }), minutes);

const installed = ({ skip }: TestContext): void => {
  if (unreachable !== undefined) skip(unreachable);
};

describe("the package", () => {
  it("has the program, its declarations and the docs, and nothing of the tests", () => {
    const parts = new Set(packed.files.map((path) => path.split("/")[0]));
    expect([...parts].sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "package.json"]);
    expect(packed.files.filter((path) => /(^|\/)tests?\/|\.test\./.test(path))).toEqual([]);
    for (const { types, default: file } of Object.values(metadata.exports).filter((each) => typeof each === "object"))
      for (const path of [types, file]) expect(packed.files).toContain(path.replace("./", ""));
  });

  it("has no page with a link that leads nowhere", (context) => {
    installed(context);
    const home = join(app, "node_modules/wakeful");
    const read = (path: string): string | undefined => {
      const file = join(home, path);
      if (!existsSync(file)) return undefined;
      return statSync(file).isDirectory() ? "" : readFileSync(file, "utf8");
    };
    const paths = ["README.md", "CHANGELOG.md", ...globSync("docs/*.md", { cwd: home })];
    expect(paths.length).toBeGreaterThan(5);
    expect(pageFaults(new Map(paths.map((path) => [path, read(path) ?? ""])), read)).toEqual([]);
  });

  it("brings no package with it that its users need not have", (context) => {
    installed(context);
    for (const name of Object.keys(metadata.peerDependencies))
      expect(existsSync(join(app, "node_modules", name)), name).toBe(false);
  });

  it("has types that hold without skipLibCheck", { timeout: 5 * minutes }, async (context) => {
    installed(context);
    const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    const strict = { strict: true, skipLibCheck: false, noEmit: true };
    const compilerOptions = { module: "nodenext", target: "es2024", ...strict, ...types };
    await writeFile(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["check.ts"] }));
    const tsc = join(root, "node_modules/.bin/tsc");
    expect(await run(newest, app, [tsc, "--project", "tsconfig.json"])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("a project with tests of its own", () => {
  it("tests its agent in less than thirty lines", async (context) => {
    installed(context);
    const lines = readFileSync(join(suite, "agent.test.mjs"), "utf8").trim().split("\n");
    expect(lines.length).toBeLessThan(30);
    expect(await run(newest, suite, ["node", "--test", "agent.test.mjs"])).toMatchObject({ code: 0 });
  });

  it("holds its own store to the suite, which names a wrong one", { timeout: 5 * minutes }, async (context) => {
    installed(context);
    const { code, stdout } = await run(newest, suite, ["node", "--test", "store.test.mjs"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/pass \d\d/)]);
  });
});

describe.each(["24", "26"])("on Node %s, in a project that has nothing else", (version) => {
  it("it runs from a module, in memory and on disk", { timeout: 5 * minutes }, async (context) => {
    installed(context);
    const ran = await run(nodes[version] ?? "", app, ["node", "ask.mjs", `on-${version}.db`]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toEqual({ node: version, answers: ["hello", "scripted"] });
  });

  it("npx wakeful tells its version, and runs", { timeout: 5 * minutes }, async (context) => {
    installed(context);
    const npx = (args: readonly string[], input?: string) =>
      run(nodes[version] ?? "", app, ["npx", "wakeful", ...args], input);
    expect(await npx(["--version"])).toMatchObject({ code: 0, stdout: `${metadata.version}\n` });
    const { code, stdout } = await npx(["run"], "hi\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^> hi$[\s\S]*^\[idle\]$/m);
  });
});

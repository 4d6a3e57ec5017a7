/** The package as a user gets it: built and packed from a copy of the repository, and installed into an empty project. */
import { execFile } from "node:child_process";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What npm and the test runner tell their children must not reach these: they are to be as a user starts them. */
const environment = (path: string): NodeJS.ProcessEnv => {
  const own = /^(npm_(config_local_prefix|package|lifecycle|command|execpath|node_execpath)|INIT_CWD|NODE_|VITEST|CI$)/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...Object.fromEntries(kept), PATH: [path, process.env.PATH].join(delimiter), NO_COLOR: "1" };
};

/** Runs a program to its end, with `nodes` first on its PATH. Rejects only when it cannot be started. */
export const run = (nodes: string, cwd: string, [file = "", ...args]: readonly string[], input = ""): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: environment(nodes), timeout: 300_000, maxBuffer: 2 ** 26 };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === "number") resolve({ code, stdout, stderr });
      else reject(error);
    });
    child.stdin?.end(input);
  });

/** npm could not speak to the registry, which says nothing about the package. */
export class Unreachable extends Error {}

const offline =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

/** Rejects with Unreachable, or with what npm said. */
export const npm = async (nodes: string, cwd: string, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(nodes, cwd, ["npm", ...args]);
  if (code === 0) return stdout;
  const [, what] = offline.exec(stderr) ?? [];
  if (what !== undefined) throw new Unreachable(`npm ${args[0]} cannot reach the package registry (${what})`);
  throw new Error(`npm ${args.join(" ")} failed with ${code}:\n${stderr}\n${stdout}`);
};

const patience = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"];

/** Makes a project in `folder` that has these packages and nothing else. */
export const project = async (nodes: string, folder: string, ...packages: readonly string[]): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(nodes, folder, "install", ...patience, ...packages);
  return folder;
};

export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
}

/** Builds and packs in a copy, so that nothing of this happens to the `dist/` of the repository. */
export const pack = async (nodes: string, folder: string): Promise<Packed> => {
  const left = new Set(["node_modules", "dist", "coverage", ".git"].map((name) => join(root, name)));
  await cp(root, folder, { recursive: true, filter: (path) => !left.has(path) });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  await npm(nodes, folder, "run", "build");
  const [packed] = JSON.parse(await npm(nodes, folder, "pack", "--json", "--ignore-scripts")) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (!packed) throw new Error("npm pack packed nothing");
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
};

/** The package that has the Node of this machine's kind: what the package `node` installs by a script. */
export const nodePackage = (): string =>
  `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

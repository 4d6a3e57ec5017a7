import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

const npm = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): void => {
  console.error(`> npm ${args.join(" ")}`);
  const env = { ...process.env, ...environment };
  const { status, error } = spawnSync("npm", [...args], { cwd: folder, env, stdio: ["ignore", 2, 2] });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}; what it said stands above.`);
};

/** Whether the packages are there and the native module was compiled for this Node. */
export const isInstalled = (): boolean => {
  if (!existsSync(new URL("node_modules/@langchain/langgraph", import.meta.url))) return false;
  try {
    const Database = createRequire(import.meta.url)("better-sqlite3");
    new Database(":memory:").close();
    return true;
  } catch {
    return false;
  }
};

/**
 * Installs what the lock file of this folder names, and compiles better-sqlite3 for the Node that runs, which takes a minute
 * or two and wants a C++ compiler, make and Python. The headers come from the package of that Node, beside its binary, so that
 * nothing but a package registry is asked. Tells on the standard error how far it is.
 */
export const install = (): void => {
  console.error("LangGraph.js is installed into test/bench/langgraph: minutes, for its store is compiled.");
  npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  const headers = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  npm(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", `${headers}@${process.versions.node}`]);
  const directory = fileURLToPath(new URL(`node_modules/${headers}`, import.meta.url));
  npm(["rebuild", "better-sqlite3", "--foreground-scripts"], { npm_config_nodedir: directory });
  if (!isInstalled()) throw new Error("better-sqlite3 was compiled and does not load; what npm said stands above.");
};

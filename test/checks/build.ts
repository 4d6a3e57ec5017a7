/** Makes `dist/`: JavaScript, declarations and source maps of `src` and `machines`, and the executable. */
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";

const root = new URL("../../", import.meta.url);
rmSync(new URL("dist", root), { recursive: true, force: true });

const tsc = spawnSync("tsc", ["--project", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
if (tsc.error) throw tsc.error;
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

chmodSync(new URL("dist/src/cli/bin.js", root), 0o755);

// Runs after `npm ci`, so that `npx wakeful` works in a clone. Where nothing can be built (an old Node, or an install
// without devDependencies) it says so and lets the install succeed: what needs the build will say what is missing.
import { existsSync } from "node:fs";
import { complaint } from "./node-version.js";

const typescript = new URL("../../node_modules/typescript/package.json", import.meta.url);

if (complaint !== undefined) {
  console.warn(`dist/ was not built.\n${complaint}`);
} else if (!existsSync(typescript)) {
  console.warn("dist/ was not built: TypeScript is not installed. Run `npm ci` with devDependencies.");
} else {
  await import("./build.ts");
}

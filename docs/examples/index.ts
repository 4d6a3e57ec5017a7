/** The tools of `npm start`. `sleep` is built in. */
import { calculate } from "./calculator.ts";
import { countUp } from "./counter.ts";
import { getBuildStatus } from "./get-build-status.ts";

export default [getBuildStatus, calculate, countUp];

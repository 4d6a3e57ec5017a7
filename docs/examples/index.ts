/** The tools of `npm start`. `sleep` and `spawn_thread` are built in. */
import { calculate } from "./calculator.ts";
import { countUp } from "./counter.ts";
import { getBuildStatus } from "./get-build-status.ts";
import { watchBuild } from "./watch-build.ts";

export default [getBuildStatus, calculate, countUp, watchBuild];

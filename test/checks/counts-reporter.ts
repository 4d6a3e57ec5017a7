import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Ends a run with `N passed, N failed` on a line of its own, for whoever reads only the last line. A test file that
 * cannot be loaded and an error outside every test count as failures; skipped tests count as neither.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errorsOutsideTests: readonly SerializedError[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = count("failed") + brokenModules + errorsOutsideTests.length;
    process.stdout.write(`${count("passed")} passed, ${failed} failed\n`);
  }
}

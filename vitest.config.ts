import { defineConfig } from "vitest/config";

/** With these, `import "wakeful"` means src/index.ts here, as it means dist/ for a user. */
const conditions = ["wakeful-source", "node", "import", "module", "default"];

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    execArgv: ["--conditions=wakeful-source"],
    reporters: ["default", "./test/checks/counts-reporter.ts"],
    testTimeout: 30_000,
  },
});

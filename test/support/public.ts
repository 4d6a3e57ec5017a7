/** What a project outside has of the package. */
export type { Store } from "../../src/index.ts";
export { storeSuite } from "../../src/testing/index.ts";

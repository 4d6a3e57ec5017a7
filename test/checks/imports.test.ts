import { describe, expect, it } from "vitest";
import { wrongImports } from "./imports.ts";

const wrong = (files: Record<string, string>) => wrongImports(new Map(Object.entries(files)), ["rxjs", "zod"]);

describe("the import check", () => {
  it("lets a room import the rooms above it, its peers and what its users install", () =>
    expect(
      wrong({
        "machines/history/entry.ts": 'import { z } from "zod";',
        "machines/thread/machine.ts": 'import { a } from "../history/entry.ts";',
        "src/errors.ts": "",
        "src/store/store.ts": 'import type { A } from "../../machines/thread/machine.ts";',
        "src/queue/queue.ts":
          'import { map } from "rxjs"; import { a } from "../store/store.ts"; import "../errors.ts";',
        "src/system/create.ts": 'import "../queue/queue.ts"; import { setTimeout } from "node:timers";',
        "src/index.ts": 'export { a } from "./system/create.ts";',
        "docs/examples/a.ts": 'import { a } from "wakeful"; import "./b.ts";',
        "docs/examples/b.ts": "",
      }),
    ).toEqual([]));

  it.each([
    ["import { a } from", "a value"],
    ["import type { a } from", "a type"],
    ["export * from", "everything of a module"],
    ["const a = await import", "a module later"],
    ["type A = import", "a type in place"],
  ])("catches %s, %s of a room below", (statement) => {
    const call = statement.endsWith("import");
    const specifier = call ? '("../system/create.ts")' : ' "../system/create.ts"';
    expect(wrong({ "src/thread/run.ts": `${statement}${specifier};`, "src/system/create.ts": "" })).toEqual([
      "src/thread/run.ts imports src/system/create.ts: src/system stands below src/thread",
    ]);
  });

  it("keeps machines pure", () =>
    expect(
      wrong({ "machines/round/a.ts": 'import "node:fs"; import "rxjs"; import "../../src/b.ts";', "src/b.ts": "" }),
    ).toEqual([
      expect.stringContaining("machines/round/a.ts imports node:fs"),
      expect.stringContaining("machines/round/a.ts imports rxjs"),
      "machines/round/a.ts imports src/b.ts: src stands below machines/round",
    ]));

  it("keeps the round apart from the thread", () =>
    expect(wrong({ "machines/round/a.ts": 'import "../thread/b.ts";', "machines/thread/b.ts": "" })).toHaveLength(1));

  it("leaves the public face to users, testing and the command line", () => {
    const face = { "src/index.ts": "", "src/cli/run.ts": 'import "../index.ts";' };
    expect(wrong(face)).toEqual([]);
    expect(wrong({ ...face, "src/tool/a.ts": 'import "../index.ts";' })).toHaveLength(1);
  });

  it("catches an example that reaches past the public names", () =>
    expect(wrong({ "docs/examples/a.ts": 'import "../../src/index.ts";', "src/index.ts": "" })).toHaveLength(1));

  it("catches a package that users do not get", () =>
    expect(wrong({ "src/store/a.ts": 'import "vitest/node";' })).toEqual([
      "src/store/a.ts imports vitest/node: not among the dependencies of wakeful",
    ]));

  it("catches a room that it does not know", () =>
    expect(wrong({ "src/utils/a.ts": "", "src/tool/b.ts": 'import "../utils/a.ts";' })).toHaveLength(1));

  it("catches files that import each other, unless all they want is a type", () => {
    const there = { "src/tool/a.ts": 'import { b } from "./b.ts";' };
    expect(wrong({ ...there, "src/tool/b.ts": 'import { a } from "./a.ts";' })).toEqual([
      "files import each other in a circle: src/tool/a.ts → src/tool/b.ts → src/tool/a.ts",
    ]);
    expect(wrong({ ...there, "src/tool/b.ts": 'import type { A } from "./a.ts";' })).toEqual([]);
  });

  it("catches peers that need each other, be it for types", () =>
    expect(
      wrong({
        "src/tool/a.ts": 'import { c } from "../store/c.ts";',
        "src/tool/b.ts": "",
        "src/store/c.ts": "",
        "src/store/d.ts": 'import type { B } from "../tool/b.ts";',
      }),
    ).toEqual(["rooms need each other: src/tool → src/store → src/tool"]));

  it("does not take a comment or a text for an import", () =>
    expect(wrong({ "machines/history/a.ts": '// import "node:fs";\nconst a = `import "node:fs"`;' })).toEqual([]));
});

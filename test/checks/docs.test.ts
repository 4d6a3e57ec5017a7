import { describe, expect, it } from "vitest";
import { localFaults, pageFaults } from "./docs.ts";

const files: Record<string, string> = {
  "docs/examples/clock.ts": 'import { a } from "wakeful";\n\nif (a) {\n  const b = 1;\n\n  b;\n}\n',
  "docs/picture.svg": "",
};
const faults = (page: string) =>
  pageFaults(
    new Map([
      ["docs/page.md", page],
      ["README.md", "# Wake `ful`\n## Why?\n## Why?\n"],
    ]),
    (path) => files[path],
  );
const fence = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n`;

describe("links in docs", () => {
  it.each([
    "[a](picture.svg)",
    '![a](./picture.svg "title")',
    "[a](../README.md#wake-ful)",
    "[a](../README.md#why-1)",
    "# Here\n[a](#here)",
    "[a][b]\n\n[b]: ../README.md",
    '<img src="picture.svg">',
    "[a](https://example.com/x)",
    "`[a](nowhere.md)`",
    fence("sh", "[a](nowhere.md)"),
  ])("lead somewhere: %j", (page) => expect(faults(page)).toEqual([]));

  it.each([
    "[a](nowhere.md)",
    "[a](../README.md#wakeful)",
    "[a](#nowhere)",
    "[a](../../outside.md)",
    "[a][b]\n\n[b]: nowhere.md",
    '<img src="nowhere.svg">',
  ])("are reported when they do not: %j", (page) => expect(faults(page)).toHaveLength(1));

  it("are reported with their line", () =>
    expect(faults("one\n\n[a](nowhere.md)")).toEqual(["docs/page.md:3 links to nowhere.md, which is not there"]));
});

describe("a block of TypeScript in docs", () => {
  it.each([
    fence("ts file=docs/examples/clock.ts", 'import { a } from "wakeful";'),
    fence("ts file=docs/examples/clock.ts", "const b = 1;\n\nb;"),
    `- item\n\n  ${fence("ts file=docs/examples/clock.ts", "  b;").replace(/```\n$/, "  ```\n")}`,
    fence("ts no-run the shape of an envelope", "type A = B;"),
    fence("sh", "npm start"),
  ])("is fine: %j", (page) => expect(faults(page)).toEqual([]));

  it.each([
    [fence("ts", "a;"), "names its file"],
    [fence("ts no-run", "a;"), "names its file"],
    [fence("ts file=docs/examples/none.ts", "a;"), "does not exist"],
    [fence("ts file=docs/examples/clock.ts", "const b = 1;\nb;"), "do not stand together"],
    [fence("ts file=docs/examples/clock.ts", "const b = 2;"), "do not stand together"],
  ])("is reported: %j", (page, fault) => expect(faults(page)).toEqual([expect.stringContaining(fault)]));
});

describe("names that only one machine has", () => {
  const local = (text: string) => localFaults(new Map([["a.md", text]]));

  // In pieces, for this file is checked too.
  it.each([
    ["see /", "work/main/src"].join(""),
    ["file:///", "home/me/a.db"].join(""),
    ["https://regis", "try.example.com/zod"].join(""),
    ["https://npm-mir", "ror.example.com:4873"].join(""),
    ['"resolved": ', '"https://example.com/zod.tgz"'].join(""),
  ])("are reported: %s", (text) => expect(local(text)).toHaveLength(1));

  it.each(["https://example.com/home/page", ["./wo", "rk/a.ts"].join(""), "a thread's /rap/callbacks/x"])(
    "are not these: %s",
    (text) => expect(local(text)).toEqual([]),
  );
});

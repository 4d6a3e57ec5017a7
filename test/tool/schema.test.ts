import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolDefinitionError } from "../../src/errors.ts";
import { compileSchema, type ToolSchema } from "../../src/tool/schema.ts";

const sent = (schema: ToolSchema) => compileSchema("work", schema).sent as Record<string, unknown>;
const parse = (schema: ToolSchema, args: object) => compileSchema("work", schema).parse(args as never);
const problem = (schema: ToolSchema, args: object): string => {
  const parsed = parse(schema, args);
  return parsed.ok ? "valid" : parsed.problem;
};
const refusal = (schema: unknown): string => {
  try {
    compileSchema("work", schema as ToolSchema);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolDefinitionError);
    return (error as Error).message;
  }
  return "accepted";
};

const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number(), note: z.string().optional() }),
  z.object({ kind: z.literal("square"), side: z.number(), note: z.string() }),
]);

describe("the schema a model is sent", () => {
  it("is an object of draft 2020-12 without noise", () =>
    expect(sent(z.object({ id: z.string().describe("Build"), n: z.int().default(3) }))).toEqual({
      type: "object",
      properties: { id: { type: "string", description: "Build" }, n: { type: "integer", default: 3 } },
      required: ["id"],
    }));

  it("is one object for a union at the root, with every form told", () =>
    expect(sent(shape)).toEqual({
      type: "object",
      description:
        'The arguments take one of these forms: { kind: "circle", radius, note? } or { kind: "square", side, note }.',
      properties: {
        kind: { type: "string", enum: ["circle", "square"] },
        radius: { type: "number" },
        note: { type: "string" },
        side: { type: "number" },
      },
      required: ["kind"],
    }));

  it("admits whatever the union admits, and has nothing at the root that providers refuse", () => {
    const schemas: ToolSchema[] = [
      shape,
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      z.object({ a: z.string() }).nullable(),
      z.object({ a: z.string() }).meta({ id: "Named" }),
      {
        type: "object",
        properties: { a: {} },
        anyOf: [{ required: ["a"] }, { properties: { b: {} }, required: ["b"] }],
      },
      { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { type: "object", properties: { a: { type: "string" } } } } },
      {},
    ];
    for (const schema of schemas) {
      const root = sent(schema);
      expect(root).toMatchObject({ type: "object", properties: {} });
      expect(Object.keys(root)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(anyOf|oneOf|allOf|\$ref|enum|not|\$schema)$/)]),
      );
    }
    fc.assert(
      fc.property(
        fc.record(
          {
            kind: fc.constantFrom("circle", "square", "ring"),
            radius: fc.integer(),
            side: fc.integer(),
            note: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (args) => {
          if (parse(shape, args).ok) expect(parse(sent(shape), args).ok).toBe(true);
        },
      ),
    );
  });

  it("keeps recursion and nullable fields as they are", () => {
    const tree = z.object({
      get children() {
        return z.array(tree).optional();
      },
    });
    expect(sent(tree)).toMatchObject({ properties: { children: { type: "array", items: { $ref: "#" } } } });
    const nullable = z.object({ a: z.string().nullable().default(null) });
    expect(problem(nullable, { a: null })).toBe("valid");
    expect(problem(nullable, {})).toBe("valid");
  });

  it("is rewritten where older drafts wrote otherwise", () =>
    expect(
      sent({
        $schema: "http://json-schema.org/draft-04/schema#",
        type: "object",
        properties: {
          pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
          over: { type: "number", minimum: 3, exclusiveMinimum: true },
        },
      }),
    ).toEqual({
      type: "object",
      properties: {
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
        over: { type: "number", exclusiveMinimum: 3 },
      },
    }));
});

describe("a schema that cannot describe a call", () => {
  it.each([
    ["a string", z.string(), "must describe an object"],
    ["a list", { type: "array" }, "must describe an object"],
    ["a union with something else", z.union([z.string(), z.object({})]), "must describe an object"],
    ["a date", z.object({ at: z.date() }), "z.iso.datetime()"],
    ["nothing", undefined, "zod schema or a JSON Schema object"],
    ["a list of schemas", [], "zod schema or a JSON Schema object"],
    ["a schema of another library", { _def: {}, safeParse: () => {} }, "zod 4"],
    ["an unknown dialect", { $schema: "https://example.org/mine", type: "object" }, "https://example.org/mine"],
    ["a draft too old", { $schema: "http://json-schema.org/draft-03/schema#", type: "object" }, "draft 4, 6, 7"],
    ["a reference to nowhere", { type: "object", properties: { a: { $ref: "#/$defs/no" } } }, "#/$defs/no"],
    ["a root that is only itself", { $ref: "#" }, "refers to itself"],
    [
      "a reference into the union that is rewritten",
      { anyOf: [{ type: "object", properties: { a: { type: "string" }, b: { $ref: "#/anyOf/0/properties/a" } } }] },
      "move that part to $defs",
    ],
    ["a broken pattern", { type: "object", properties: { a: { pattern: "(" } } }, "regular expression"],
    ["an unknown type", { type: "object", properties: { a: { type: "strnig" } } }, "strnig"],
    ["one that admits no object", { anyOf: [{ type: "null" }] }, "admits no object"],
  ])("is refused with the tool's name: %s", (_, schema, expected) => {
    expect(refusal(schema)).toContain(expected);
    expect(refusal(schema)).toContain('"work"');
  });

  it("is refused when it is no JSON", () => {
    const circular: Record<string, unknown> = { type: "object" };
    circular.properties = circular;
    expect(refusal(circular)).toContain("not JSON");
  });

  it("leaves the author's own schema as it was, frozen or not", () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    });
    expect(parse(schema, { a: "x" })).toEqual({ ok: true, args: { a: "x" } });
    expect(Reflect.ownKeys(schema)).toEqual(["type", "properties"]);
  });
});

describe("arguments", () => {
  const build = z.strictObject({
    id: z.string(),
    n: z.number(),
    how: z.enum(["fast", "slow"]),
    tags: z.array(z.string()).max(2),
  });

  it("are answered with the field, what was expected, and what came", () => {
    expect(problem(build, { n: "7", how: "now", tags: ["a", 3], extra: 1 })).toBe(
      [
        "- id: is missing (expected string)",
        '- n: expected number, got "7"',
        '- how: expected "fast" or "slow", got "now"',
        "- tags[1]: expected string, got 3",
        '- unknown field "extra"',
      ].join("\n"),
    );
    expect(problem(build, { id: "", n: 1, how: "fast", tags: ["a", "b", "c"] })).toMatch(
      /^- tags: Too big.*got \["a","b","c"\]$/,
    );
  });

  it("are told of the branch of a union that came closest", () => {
    expect(problem(z.object({ a: z.union([z.string(), z.number()]) }), { a: true })).toBe(
      "- a: expected string or number, got true",
    );
    expect(problem(shape, { kind: "ring" })).toMatch(/^- kind: .*"ring"$/);
    expect(problem(shape, { kind: "square", side: "2", note: "" })).toBe('- side: expected number, got "2"');
    expect(problem(z.object({ a: z.union([z.string(), z.object({ b: z.string() })]) }), { a: { b: 1 } })).toBe(
      "- a.b: expected string, got 1",
    );
  });

  it("are told the same of a JSON Schema", () => {
    const schema = {
      type: "object",
      properties: {
        id: { type: "string" },
        n: { anyOf: [{ type: "number" }, { type: "null" }] },
        tags: { items: { maxLength: 1 } },
      },
      required: ["id"],
      additionalProperties: false,
    };
    expect(
      problem(schema, { n: "7", tags: ["ab"], extra: 1 })
        .split("\n")
        .sort(),
    ).toEqual([
      "- id: is missing",
      '- n: expected number or null, got "7"',
      '- tags[0]: String is too long (2 > 1), got "ab"',
      '- unknown field "extra"',
    ]);
    expect(problem(schema, { id: "x", n: null })).toBe("valid");
    expect(problem(schema, { id: "x" })).toBe("valid");
  });

  it.each([
    ["draft 7", "http://json-schema.org/draft-07/schema#", "definitions"],
    ["draft 4", "http://json-schema.org/draft-04/schema", "definitions"],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", "$defs"],
    ["2020-12", "https://json-schema.org/draft/2020-12/schema", "$defs"],
  ])("are checked by the rules of %s", (_, $schema, defs) => {
    const schema = {
      $schema,
      type: "object",
      properties: { a: { $ref: `#/${defs}/text` } },
      [defs]: { text: { type: "string" } },
    };
    expect(problem(schema, { a: "x" })).toBe("valid");
    expect(problem(schema, { a: 1 })).toBe("- a: expected string, got 1");
    expect(sent(schema)[defs]).toEqual({ text: { type: "string" } });
  });

  it("are checked as tuples where an older draft says so", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { p: { items: [{ type: "string" }, { type: "number" }] } },
    };
    expect(problem(schema, { p: ["a", 1] })).toBe("valid");
    expect(problem(schema, { p: [1, "a"] })).toContain("p[0]: expected string");
  });

  it("are summed up after the first eight complaints", () => {
    const many = z.record(z.string(), z.string());
    const args = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n]));
    expect(problem(many, args).split("\n")).toHaveLength(9);
    expect(problem(many, args)).toContain("and 12 more");
  });

  it("are never shared with the tool: what it changes is its own", () => {
    for (const schema of [{ type: "object" }, z.object({ deep: z.any() })]) {
      const stored = { deep: { list: [1] } };
      const parsed = parse(schema, stored);
      if (parsed.ok) (parsed.args as typeof stored).deep.list.push(2);
      expect(stored).toEqual({ deep: { list: [1] } });
    }
  });

  it("give an equal value each time they are parsed from the same JSON", () => {
    const schema = z.object({ a: z.string().default("x"), at: z.iso.datetime().transform((text) => new Date(text)) });
    const { parse: parseOnce } = compileSchema("work", schema);
    const args = { at: "2026-01-02T03:04:05Z" };
    expect(parseOnce(args)).toEqual({ ok: true, args: { a: "x", at: new Date("2026-01-02T03:04:05Z") } });
    expect(parseOnce(args)).toEqual(parseOnce(args));
  });

  it("cannot be checked asynchronously, and a schema that throws says nothing of its error", () => {
    expect(problem(z.object({ a: z.string().refine(async () => true) }), { a: "x" })).toContain(
      "asynchronously, which is not supported",
    );
    const throwing = z.object({
      a: z.string().refine(() => {
        throw new Error("secret path");
      }),
    });
    expect(problem(throwing, { a: "x" })).toBe("- the schema of this tool failed while it checked these arguments");
  });
});

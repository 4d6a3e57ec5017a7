import { dereference, type OutputUnit, type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { type Complaint, lines, seen, valueAt } from "./explain.ts";
import { type JsonSchema, objectAtRoot, type Refuse, resolvePointer } from "./schema-root.ts";

const dialects: Readonly<Record<string, SchemaDraft>> = {
  "json-schema.org/draft-04/schema": "4",
  "json-schema.org/draft-06/schema": "7",
  "json-schema.org/draft-07/schema": "7",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};

const draftOf = ({ $schema }: JsonSchema, refuse: Refuse): SchemaDraft => {
  if ($schema === undefined) return "2020-12";
  const draft =
    dialects[
      String($schema)
        .replace(/^https?:\/\//, "")
        .replace(/#$/, "")
    ];
  return (
    draft ??
    refuse(
      `its input schema is written in ${JSON.stringify($schema)}; known are JSON Schema draft 4, 6, 7, 2019-09 and 2020-12`,
    )
  );
};

const cloned = (schema: JsonSchema, refuse: Refuse): Schema => {
  try {
    return JSON.parse(JSON.stringify(schema));
  } catch {
    return refuse("its input schema is not JSON");
  }
};

/** Every subschema of a document that is an object; the document is its own to change. */
const subschemas = (schema: Schema): Schema[] =>
  [...new Set(Object.values(dereference(schema)))].filter((one) => typeof one === "object");

const isRegExp = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
};

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** What would throw, or could never be met, in the middle of a validation: found before. */
const check = (schema: Schema, refuse: Refuse): void => {
  const known = dereference(schema);
  for (const part of subschemas(schema)) {
    const { $ref, type = [], pattern, patternProperties = {}, __absolute_ref__: target } = part;
    if (typeof $ref === "string" && (target === undefined || known[target] === undefined))
      refuse(`its input schema refers to ${JSON.stringify($ref)}, which it does not contain`);
    const strange = [type].flat().find((one) => !types.has(one));
    if (strange !== undefined)
      refuse(`its input schema has ${JSON.stringify(strange)} as a type, which JSON Schema does not know`);
    const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties)];
    const broken = patterns.find((one) => !isRegExp(one));
    if (broken !== undefined)
      refuse(`its input schema has ${JSON.stringify(broken)} as a pattern, which is no regular expression`);
  }
};

/** Rewrites what older drafts wrote otherwise and 2020-12 refuses: tuples, and bounds that were flags. */
const upgrade = (part: Schema): void => {
  if (Array.isArray(part.items)) {
    part.prefixItems = part.items;
    delete part.items;
    if (part.additionalItems !== undefined) part.items = part.additionalItems;
  }
  delete part.additionalItems;
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof part[flag] !== "boolean") continue;
    const value = part[bound];
    const isExclusive = part[flag] && value !== undefined;
    delete part[flag];
    if (isExclusive) delete part[bound];
    if (isExclusive) part[flag] = value;
  }
};

/** A document's own references, all of which must still lead somewhere in it. */
const brokenRef = (sent: JsonSchema): string | undefined =>
  subschemas(structuredClone(sent) as Schema)
    .map(({ $ref }) => $ref)
    .find((ref) => typeof ref === "string" && ref.startsWith("#/") && resolvePointer(sent, ref) === undefined);

/** The schema that the model is sent: draft 2020-12, an object at the root, without `$schema`. */
export const sentSchema = (schema: JsonSchema, refuse: Refuse): JsonSchema => {
  const { $schema: _dialect, ...document } = cloned(schema, refuse);
  for (const part of subschemas(document)) upgrade(part);
  const sent = objectAtRoot(JSON.parse(JSON.stringify(document)), refuse);
  const broken = brokenRef(sent);
  if (broken !== undefined)
    refuse(
      `its input schema refers to ${JSON.stringify(broken)}, a part of the union at its root; move that part to $defs`,
    );
  return sent;
};

/** Keywords that only say that something below them failed. */
const structural = new Set([
  "$ref",
  "$recursiveRef",
  "allOf",
  "anyOf",
  "oneOf",
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "unevaluatedProperties",
  "dependentSchemas",
  "dependencies",
  "if",
]);

const pathOf = (location: string): string[] =>
  location
    .split("/")
    .slice(1)
    .map((part) => decodeURI(part).replaceAll("~1", "/").replaceAll("~0", "~"));

const quoted = (text: string): string[] => [...text.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);

const complaintOf = ({ instanceLocation, keyword, error }: OutputUnit, args: unknown): Complaint => {
  const path = pathOf(instanceLocation);
  const [, field] = keyword === "required" ? (/"(.*)"/.exec(error) ?? []) : [];
  if (field !== undefined) return { path: [...path, field], text: "is missing" };
  if (keyword === "false") return { path: path.slice(0, -1), text: `unknown field ${JSON.stringify(path.at(-1))}` };
  return { path, text: `${error.replace(/^Instance d/, "d").replace(/\.$/, "")}, got ${seen(valueAt(args, path))}` };
};

/** One complaint for all the types that one place could have had. */
const typeComplaints = (errors: readonly OutputUnit[], args: unknown): Complaint[] =>
  [...Map.groupBy(errors, ({ instanceLocation }) => instanceLocation)].map(([location, units]) => {
    const path = pathOf(location);
    const expected = new Set(units.flatMap(({ error }) => quoted(error.slice(error.indexOf("Expected")))));
    return { path, text: `expected ${[...expected].join(" or ")}, got ${seen(valueAt(args, path))}` };
  });

/** Checks arguments against a JSON Schema by the rules of its own draft. Undefined: they are valid. */
export const jsonSchemaCheck = (schema: JsonSchema, refuse: Refuse): ((args: unknown) => string | undefined) => {
  const draft = draftOf(schema, refuse);
  const own = cloned(schema, refuse);
  check(own, refuse);
  const validator = new Validator(own, draft, false);
  return (args) => {
    const { valid, errors } = validator.validate(args);
    if (valid) return undefined;
    const leaves = errors.filter(({ keyword }) => !structural.has(keyword));
    const told = leaves.length > 0 ? leaves : errors;
    return lines([
      ...typeComplaints(
        told.filter(({ keyword }) => keyword === "type"),
        args,
      ),
      ...told.filter(({ keyword }) => keyword !== "type").map((unit) => complaintOf(unit, args)),
    ]);
  };
};

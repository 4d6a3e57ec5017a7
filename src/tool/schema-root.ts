import { isDeepStrictEqual } from "node:util";

/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Says why a schema cannot be used; does not return. */
export type Refuse = (problem: string) => never;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a reference inside the document points to; undefined when it leads nowhere or out of it. */
export const resolvePointer = (root: JsonSchema, ref: string): unknown => {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
};

/** What an object schema says of its fields. */
interface Fields {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

const anyFields: Fields = { properties: {}, required: [] };

/** The schema for a field that must meet all of these, or one of these. */
const combined = (schemas: readonly unknown[], how: "allOf" | "anyOf"): unknown => {
  const distinct = schemas.filter(
    (one, index) => schemas.findIndex((other) => isDeepStrictEqual(one, other)) === index,
  );
  if (distinct.length === 1) return distinct[0];
  const values = distinct.map((one) => (isSchema(one) && "const" in one ? one.const : undefined));
  if (how === "anyOf" && values.every((value) => value !== undefined)) {
    const types = [...new Set(distinct.map((one) => (isSchema(one) ? one.type : undefined)))];
    return { ...(types.length === 1 && types[0] !== undefined && { type: types[0] }), enum: values };
  }
  return { [how]: distinct };
};

const merged = (all: readonly Fields[], how: "allOf" | "anyOf"): Fields => {
  const names = [...new Set(all.flatMap(({ properties }) => Object.keys(properties)))];
  const isNeeded = (name: string): boolean => {
    const needs = all.map(({ required }) => required.includes(name));
    return how === "allOf" ? needs.includes(true) : !needs.includes(false);
  };
  const schemasOf = (name: string): unknown[] =>
    all.flatMap(({ properties }) => (Object.hasOwn(properties, name) ? [properties[name]] : []));
  return {
    properties: Object.fromEntries(names.map((name) => [name, combined(schemasOf(name), how)])),
    required: names.filter(isNeeded),
  };
};

const isNull = (schema: unknown): boolean => isSchema(schema) && (schema.type === "null" || schema.const === null);

const formOf = ({ properties, required }: Fields): string => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    if (isSchema(schema) && schema.const !== undefined) return `${name}: ${JSON.stringify(schema.const)}`;
    return required.includes(name) ? name : `${name}?`;
  });
  return `{ ${fields.join(", ")} }`;
};

/**
 * The schema as providers accept it at the root of a tool: `type: "object"` with `properties` and without `anyOf`,
 * `oneOf`, `allOf`, `$ref`, `enum` or `not`. A union becomes one object with the fields of all its branches, and a
 * description that lists the forms; it admits more than the union does, which is what validation is for. Refuses a schema that
 * admits something other than an object (null is left aside: absent arguments are an empty object).
 */
export const objectAtRoot = (root: JsonSchema, refuse: Refuse): JsonSchema => {
  const forms: string[] = [];

  const read = (schema: unknown, seen: readonly string[]): Fields => {
    if (schema === true) return anyFields;
    if (!isSchema(schema)) return refuse("its input schema must describe an object");
    const { type = "object", $ref, properties, required, allOf, anyOf, oneOf } = schema;
    if (type !== "object" && !(Array.isArray(type) && type.includes("object")))
      return refuse(
        `its input schema must describe an object, not ${JSON.stringify(type)}; put the value into a field of an object`,
      );
    const parts: Fields[] = [
      {
        properties: isSchema(properties) ? properties : {},
        required: Array.isArray(required) ? required : [],
      },
    ];
    if (typeof $ref === "string") {
      if (seen.includes($ref)) return refuse(`its input schema refers to itself at the root (${$ref})`);
      parts.push(read(resolvePointer(root, $ref), [...seen, $ref]));
    }
    if (Array.isArray(allOf)) parts.push(...allOf.map((part) => read(part, seen)));
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union)) continue;
      const branches = union.filter((branch) => !isNull(branch)).map((branch) => read(branch, seen));
      if (branches.length > 1 && schema === root) forms.push(...branches.map(formOf));
      parts.push(branches.length === 0 ? refuse("its input schema admits no object") : merged(branches, "anyOf"));
    }
    return parts.length === 1 && parts[0] ? parts[0] : merged(parts, "allOf");
  };

  const { properties, required } = read(root, []);
  const {
    type: _type,
    $ref,
    allOf,
    anyOf,
    oneOf,
    not: _not,
    enum: _enum,
    const: _const,
    required: _required,
    ...rest
  } = root;
  const isPlain = $ref === undefined && allOf === undefined && anyOf === undefined && oneOf === undefined;
  const { additionalProperties: _additional, ...named } = rest;
  const listed = forms.length > 0 ? `The arguments take one of these forms: ${forms.join(" or ")}.` : undefined;
  const description = [root.description, listed].filter((text) => typeof text === "string").join(" ");
  return {
    ...(isPlain ? rest : named),
    ...(description && { description }),
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
  };
};

import type { z } from "zod";
import { safeText, shortened } from "./text.ts";

/** One thing that is wrong with arguments. An empty path: with the arguments as a whole. */
export interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** More than these are summed up: a model mends the first ones and tries again. */
const most = 8;

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d+$/.test(String(key))) return `${text}[${String(key)}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");

/** How a value that came is shown: as JSON, shortened. */
export const seen = (value: unknown): string => {
  if (value === undefined) return "nothing";
  try {
    return shortened(safeText(JSON.stringify(value)), 80);
  } catch {
    return "something that is nested too deep";
  }
};

/** Complaints as the model reads them, one a line, each once. */
export const lines = (complaints: readonly Complaint[]): string => {
  const all = [
    ...new Set(complaints.map(({ path, text }) => `- ${path.length > 0 ? `${pathText(path)}: ` : ""}${text}`)),
  ];
  return (all.length <= most ? all : [...all.slice(0, most), `- and ${all.length - most} more`]).join("\n");
};

/** The value that a path leads to; undefined where it leads nowhere. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );

/** Of a union's branches, the one that came closest: the fewest issues, the deepest first. */
const closest = (branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined => {
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(0, ...issues.map(({ path }) => path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
};

const expectations = (branches: readonly (readonly z.core.$ZodIssue[])[]): string[] | undefined => {
  const kinds = branches.map(([issue, ...others]) =>
    issue?.code === "invalid_type" && issue.path.length === 0 && others.length === 0 ? issue.expected : undefined,
  );
  return kinds.every((kind) => kind !== undefined) && kinds.length > 0 ? kinds : undefined;
};

/** What zod found wrong with `args`: which field, what was expected, what came. */
export const complaintsOf = (
  issues: readonly z.core.$ZodIssue[],
  args: unknown,
  base: readonly PropertyKey[] = [],
): Complaint[] =>
  issues.flatMap((issue): Complaint[] => {
    const path = [...base, ...issue.path];
    const value = valueAt(args, path);
    const expected = (what: string): Complaint[] =>
      value === undefined && path.length > 0
        ? [{ path, text: `is missing (expected ${what})` }]
        : [{ path, text: `expected ${what}, got ${seen(value)}` }];
    switch (issue.code) {
      case "invalid_type":
        return expected(issue.expected);
      case "invalid_value":
        return expected(
          issue.values.map((one) => (typeof one === "string" ? JSON.stringify(one) : String(one))).join(" or "),
        );
      case "unrecognized_keys":
        return issue.keys.map((key) => ({ path, text: `unknown field ${JSON.stringify(key)}` }));
      case "invalid_union": {
        const kinds = expectations(issue.errors);
        if (kinds) return expected(kinds.join(" or "));
        const branch = closest(issue.errors);
        return branch && branch.length > 0
          ? complaintsOf(branch, args, path)
          : [{ path, text: `${issue.message}, got ${seen(value)}` }];
      }
      default:
        return [{ path, text: `${issue.message}, got ${seen(value)}` }];
    }
  });

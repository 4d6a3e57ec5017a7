import type { z } from "zod";
import { ScenarioFileError } from "../../errors.ts";
import { type Scenario, ScenarioFile } from "./schema.ts";
import { stepOps } from "./step-schema.ts";

type Issue = z.core.$ZodIssue;

/** `steps[3].expect.deferred`; "" for the whole. */
const told = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** Of the branches of a union, the one that was meant: it knows the fields, and its complaint lies deepest. */
const meantBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] => {
  const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length));
  const known = branches.filter(
    (issues) => !issues.some(({ code, path }) => path.length === 0 && code === "unrecognized_keys"),
  );
  return known.sort((a, b) => depth(b) - depth(a))[0] ?? [];
};

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

const problemsOf = (file: unknown, issue: Issue, base: readonly PropertyKey[] = []): readonly Problem[] => {
  const path = [...base, ...issue.path];
  const value = at(file, path);
  if (issue.code === "invalid_union" && path.at(-1) === "op")
    return [
      {
        path,
        text:
          value === undefined ? "is missing" : `unknown op ${JSON.stringify(value)}; known are ${stepOps.join(", ")}`,
      },
    ];
  if (issue.code === "invalid_union") {
    const inner = meantBranch(issue.errors).flatMap((branch) => problemsOf(file, branch, path));
    return inner.length > 0 ? inner : [{ path, text: `${JSON.stringify(value)} is none of the forms it can have` }];
  }
  if (issue.code === "unrecognized_keys")
    return [{ path, text: `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}` }];
  if (value === undefined) return [{ path, text: "is missing" }];
  if (issue.code === "invalid_value" || issue.code === "invalid_type")
    return [
      {
        path,
        text: `${issue.message.replace(/^Invalid (input|option): /, "").replace(/, received .*$/, "")}, not ${JSON.stringify(value)}`,
      },
    ];
  return [{ path, text: issue.message }];
};

/** Names the scenario instead of its place in the file, where the file tells which one it is. */
const errorOf = (file: string, json: unknown, { path, text }: Problem): ScenarioFileError => {
  if (path[0] !== "scenarios" || typeof path[1] !== "number")
    return new ScenarioFileError(file, undefined, told(path), text);
  const id = at(json, [...path.slice(0, 2), "id"]);
  if (typeof id === "string" && id !== "") return new ScenarioFileError(file, id, told(path.slice(2)), text);
  return new ScenarioFileError(file, undefined, told(path), text);
};

/**
 * Reads a scenario file. `file` is for messages. Throws ScenarioFileError, which names the scenario and the field, for the
 * first thing that is wrong: no JSON, another version, an unknown op or field, a field that is missing, an id used twice.
 */
export const readScenarios = (text: string, file: string): readonly Scenario[] => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ScenarioFileError(
      file,
      undefined,
      "",
      `it is no JSON: ${(error as Error).message}. A scenario file is { "version": 1, "scenarios": [ … ] }`,
      { cause: error },
    );
  }
  const parsed = ScenarioFile.safeParse(json);
  if (!parsed.success) {
    const [problem] = parsed.error.issues.flatMap((issue) => problemsOf(json, issue));
    throw errorOf(file, json, problem ?? { path: [], text: parsed.error.message });
  }
  const seen = new Set<string>();
  for (const { id } of parsed.data.scenarios) {
    if (seen.has(id)) throw new ScenarioFileError(file, id, "id", "another scenario of the file has the same id");
    seen.add(id);
  }
  return parsed.data.scenarios;
};

import { safeText } from "../tool/text.ts";

/** Levels of lists and objects; deeper ones would exhaust the stack of whoever reads them. */
const depthLimit = 100;

/** Why a value is no plain JSON; the message names the place. */
export class NotPlainJson extends Error {
  override readonly name = "NotPlainJson";
}

const nameOf = (value: unknown): string => {
  if (value === undefined) return "undefined";
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const name = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an instance of a class";
};

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

/**
 * A copy of `value` that holds nothing but JSON, and about how many bytes it has as JSON text. Lone surrogates and NUL become
 * U+FFFD, a key `__proto__` is left out, entries that are undefined are left out as JSON does. Throws NotPlainJson, with
 * `path` and what stands there, for anything else that is no JSON, for a value that contains itself, for more than 100 levels, and as soon
 * as it has more than `limit` bytes.
 */
export const plainJson = (
  value: unknown,
  path: string,
  limit: number,
): { readonly value: unknown; readonly bytes: number } => {
  const above = new Set<unknown>();
  let bytes = 0;
  const count = (more: number, at: string) => {
    bytes += more;
    if (bytes > limit) throw new NotPlainJson(`${at} has more than ${limit} bytes`);
  };
  const text = (given: string): string => {
    const safe = safeText(given);
    count(Buffer.byteLength(safe) + 2, path);
    return safe;
  };
  const copy = (given: unknown, at: string): unknown => {
    if (typeof given === "string") return text(given);
    if (given === null || typeof given === "boolean" || (typeof given === "number" && Number.isFinite(given))) {
      count(String(given).length, path);
      return given;
    }
    if (typeof given !== "object" || !(Array.isArray(given) || isPlain(given)))
      throw new NotPlainJson(`${at} is ${nameOf(given)}, and it takes JSON only`);
    if (above.has(given)) throw new NotPlainJson(`${at} contains itself`);
    if (above.size >= depthLimit) throw new NotPlainJson(`${path} has more than ${depthLimit} levels`);
    above.add(given);
    count(2, path);
    const made = Array.isArray(given) ? copyList(given, at) : copyObject(given, at);
    above.delete(given);
    return made;
  };
  const copyList = (given: readonly unknown[], at: string): unknown[] => {
    const list: unknown[] = [];
    for (let index = 0; index < given.length; index++) {
      count(1, path);
      list.push(copy(given[index], `${at}[${index}]`));
    }
    return list;
  };
  const copyObject = (given: object, at: string): object => {
    const object: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(given)) {
      if (key === "__proto__" || item === undefined) continue;
      object[text(key)] = copy(item, `${at}.${key}`);
      count(2, path);
    }
    return object;
  };
  return { value: copy(value, path), bytes };
};

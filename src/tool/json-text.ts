/** More than this many characters of JSON are not written: see `storedLimit`, to which it belongs. */
export class TooLongError extends Error {
  override readonly name = "TooLongError";
}

/** An object on the way from the root to the value at hand: as it was given, and as it is written. */
interface Ancestor {
  readonly given: unknown;
  readonly written: unknown;
}

const forms = (value: object): unknown => {
  if (value instanceof Map) {
    const entries = [...value];
    return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries;
  }
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return `[${value.name}]`;
  if (value instanceof RegExp) return String(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  return value;
};

/**
 * The JSON text of any value, in a defined form where JSON has none: a Map is an object (or a list of pairs when a key is
 * no string), a Set a list, a bigint its digits, NaN and infinities their names, a Date ISO 8601, bytes their number, an
 * error its name (its message may hold what a model must not see), a cycle "[Circular]". Undefined, functions and
 * symbols are left out, as JSON does. Undefined when nothing is left.
 * Throws TooLongError beyond about `limit` characters, and whatever a getter or `toJSON` of the value throws.
 */
export const jsonText = (value: unknown, limit: number): string | undefined => {
  const path: Ancestor[] = [];
  let length = 0;
  const count = (characters: number) => {
    length += characters;
    if (length > limit) throw new TooLongError(`More than ${limit} characters of JSON.`);
  };
  function write(this: unknown, key: string, item: unknown): unknown {
    count(key.length + 1);
    const given = (this as Record<string, unknown>)[key];
    if (given instanceof Date) return Number.isNaN(given.getTime()) ? "Invalid Date" : item;
    if (typeof Buffer !== "undefined" && Buffer.isBuffer(given)) return forms(given);
    if (typeof item === "bigint") return String(item);
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    if (typeof item === "string") count(item.length);
    if (typeof item !== "object" || item === null) return item;
    while (path.length > 0 && path.at(-1)?.written !== this) path.pop();
    if (path.some((ancestor) => ancestor.given === item)) return "[Circular]";
    const written = forms(item);
    if (typeof written === "object") path.push({ given: item, written });
    return written;
  }
  return JSON.stringify(value, write);
};

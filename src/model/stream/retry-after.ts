/** Names of headers come in any case. */
const header = (headers: Record<string, string> | undefined, name: string): string =>
  Object.entries(headers ?? {})
    .find(([key]) => key.toLowerCase() === name)?.[1]
    ?.trim() ?? "";

const number = /^\d+(\.\d+)?$/;
/** As HTTP writes dates. A date in any other form may be read as any other date. */
const httpDate = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2}(\d\d)? \d\d:\d\d:\d\d GMT$/;

const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? Math.max(0, ms) : undefined);

/**
 * ms that a provider asks to wait: `retry-after-ms`, else `retry-after` as seconds or as an HTTP date (0 when it has gone
 * by). Undefined for what is neither.
 */
export const retryAfterOf = (headers: Record<string, string> | undefined, now: number): number | undefined => {
  const ms = header(headers, "retry-after-ms");
  if (number.test(ms)) return finite(Number(ms));
  const value = header(headers, "retry-after");
  if (number.test(value)) return finite(Number(value) * 1_000);
  return httpDate.test(value) ? finite(Date.parse(value) - now) : undefined;
};

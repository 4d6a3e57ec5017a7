/** What keys begin with, at providers that mark them. */
const marked = /\b(?:(?:sk|pk|rk|gsk|xai|hf|csk|nvapi|pplx)[-_]|AIza)[\w.*+/=-]{6,}/g;
/** What stands in a header of an authorization. */
const authorization = /\b(Bearer|Basic)\s+[^\s"',;]+/gi;
/** Runtimes quote the whole header that cannot be sent. */
const badHeader = /"[^"]*"(?= is an invalid header value)/g;
/** Long, with letters and digits: in a refusal of a key, it may be the key. */
const keyLike = /(?<![\w/.-])(?=[\w*+/=-]*\d)(?=[\w*+/=-]*[A-Za-z])[\w*+/=-]{12,}/g;

const hidden = "[hidden]";

/**
 * A message without what may be a key. Providers quote the key that they refuse, some of them whole, and messages of
 * failures are stored, logged and shown. `refusesKey`: the message speaks of a key, which may have any form.
 */
export const withoutKeys = (message: string, refusesKey: boolean): string => {
  const rest = message
    .replaceAll(badHeader, hidden)
    .replaceAll(authorization, `$1 ${hidden}`)
    .replaceAll(marked, hidden);
  return refusesKey ? rest.replaceAll(keyLike, hidden) : rest;
};

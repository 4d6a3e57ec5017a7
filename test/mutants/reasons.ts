/** Why a mutant may survive, by its id. Each is a sentence about why no test can see the difference. */
export const reasons: Readonly<Record<string, string>> = {};

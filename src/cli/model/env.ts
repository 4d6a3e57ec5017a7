import { OptionError } from "../../errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The value of a variable that is set and not blank, trimmed: a key that was pasted may end with a line. */
export const given = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined;

/** The same for a variable that must be set. `id`: the model that needs it. Throws OptionError. */
export const needed = (env: Env, name: string, id: string): string => {
  const value = given(env, name);
  if (value !== undefined) return value;
  const elsewhere = given(env, "OPENAI_BASE_URL")
    ? ` If it is served at OPENAI_BASE_URL, say --model openai-compatible/${id}.`
    : "";
  throw new OptionError("--model", `${JSON.stringify(id)} needs ${name} to be set.${elsewhere}`);
};

/** The address in a variable, if it is set. Throws OptionError, without the value: an address can hold a password. */
export const addressIn = (env: Env, name: string): string | undefined => {
  const value = given(env, name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OptionError(name, "is no address. It begins with http:// or https:// and often ends with /v1.");
  if (url.username || url.password)
    throw new OptionError(
      name,
      "has a user or a password in it, which no request can have. A key has its own variable.",
    );
  return value;
};

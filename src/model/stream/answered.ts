import { APICallError } from "@ai-sdk/provider";

/** What a provider said of a failure, wherever its SDK left it. */
export interface Answered {
  /** HTTP status, also of an error in the middle of a stream that names one. */
  readonly status: number | undefined;
  /** Its names for the error: what stands under `code` and `type`. */
  readonly names: readonly string[];
  /** Its words; undefined where it has none that can be shown. */
  readonly words: string | undefined;
}

type Fields = { readonly [field: string]: unknown };

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

const said = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

const httpStatus = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number <= 599 ? number : undefined;
};

/** The body of an answer as JSON; undefined for anything else, e.g. a page. */
const parsed = (body: string | undefined): unknown => {
  try {
    return JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
};

/** A provider's own error: under `error` as a rule, the whole where there is no such field. `error` may be a mere text. */
const innerOf = (value: unknown): Fields => {
  const { error } = fieldsOf(value);
  const text = said(error);
  return text === undefined ? fieldsOf(error ?? value) : { message: text };
};

export const answeredBy = (error: unknown): Answered => {
  const isApi = APICallError.isInstance(error);
  const inner = innerOf(isApi ? (error.data ?? parsed(error.responseBody)) : error);
  const names = [inner.code, inner.type].flatMap((name) => said(name) ?? []);
  const status = isApi
    ? error.statusCode
    : [fieldsOf(error).statusCode, inner.code, inner.status].map(httpStatus).find((found) => found !== undefined);
  return { status, names, words: said(inner.message) ?? said(inner.detail) };
};

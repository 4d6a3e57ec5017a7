import { z } from "zod";

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export const Json = z.json();
export type Json = z.infer<typeof Json>;

/** A JSON object: arguments of a call, metadata of a thread or an input. */
export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;

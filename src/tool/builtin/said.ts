import { z } from "zod";

/** A text that says something. `what`: its name in the complaint of a call that leaves it blank. */
export const said = (what: string): z.ZodString =>
  z.string().refine((text) => text.trim() !== "", `${what} must not be blank: say what you mean`);

/** A text on one line, for people. */
export const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");

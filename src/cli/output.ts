import { exitCodes } from "./exit-codes.ts";
import { type Io, notice } from "./io.ts";

/** Standard output of a command that prints something and is done. */
export interface Output {
  /** Resolves once the text was taken, however slowly its reader reads: true; false when nobody reads any more. */
  write(text: string): Promise<boolean>;
  /** The exit code of the command: `code`, unless the output could not be written. A reader that went away is no fault. */
  code(code: number): number;
}

export const outputOf = (io: Pick<Io, "stdout" | "stderr">): Output => {
  let failure: NodeJS.ErrnoException | undefined;
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (failure) return resolve(false);
        io.stdout.write(text, (error) => {
          if (error) failure ??= error;
          resolve(!failure);
        });
      }),
    code(code) {
      if (!failure) return code;
      if (failure.code === "EPIPE") return exitCodes.done;
      notice(io, `the output cannot be written: ${failure.message}`);
      return exitCodes.usage;
    },
  };
};

/** DEL and C1, which JSON leaves as they are and some terminals obey. */
const controls = /[\u007f-\u009f]/g;

/** JSON on one line that does nothing to a terminal, and reads back as what it was made of. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(controls, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

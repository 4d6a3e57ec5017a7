import { inspect } from "node:util";

/** The part of pino's shape that this library uses: fields first, then a message. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const silent = () => {};
const line =
  (write: (text: string) => void) =>
  (fields: object, message: string): void =>
    write(`wakeful: ${message} ${inspect(fields, { breakLength: Number.POSITIVE_INFINITY, depth: 4 })}`);

/** Warnings and errors to the console, the rest nowhere. */
export const consoleLogger: Logger = {
  debug: silent,
  info: silent,
  warn: line((text) => console.warn(text)),
  error: line((text) => console.error(text)),
};

/** A logger that cannot break what it tells of: a line that fails is lost, and nothing else. */
export const guardedLogger = (logger: Logger): Logger => {
  const guarded =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        logger[level](fields, message);
      } catch {
        // There is nobody left to tell.
      }
    };
  return { debug: guarded("debug"), info: guarded("info"), warn: guarded("warn"), error: guarded("error") };
};

export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

import { exitCodes, signalCode } from "../exit-codes.ts";
import { type Io, notice, type StopSignal } from "../io.ts";

/** What ends a run from outside: a signal, or a reader of its output who went away. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Resolves to the exit code when the run is to stop. */
  readonly code: Promise<number>;
  /** Ctrl-C and the like: the first time the run stops, the second time the process is left. */
  interrupt(signal: StopSignal): void;
  /** Listens to nothing any more but stdout, whose errors may come late. */
  release(): void;
}

export const endingOf = (io: Io): Ending => {
  const controller = new AbortController();
  const { promise: code, resolve } = Promise.withResolvers<number>();
  let isInterrupted = false;
  const end = (code: number): void => {
    resolve(code);
    controller.abort();
  };
  const interrupt = (signal: StopSignal): void => {
    if (isInterrupted) io.leave(signalCode(signal));
    else notice(io, "stopping; once more leaves at once.");
    isInterrupted = true;
    end(signalCode(signal));
  };
  io.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    if (error.code !== "EPIPE") notice(io, `the output cannot be written: ${error.message}`);
    end(error.code === "EPIPE" ? exitCodes.done : exitCodes.usage);
  });
  return { signal: controller.signal, code, interrupt, release: io.onSignal(interrupt) };
};

import type { Clock } from "../../clock.ts";
import { exitCodes, signalCode } from "../exit-codes.ts";
import { type Io, notice, type StopSignal } from "../io.ts";

/** What ends a run from outside: a signal, the time, or a reader of its output who went away. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Resolves to the exit code when the run is to stop. */
  readonly code: Promise<number>;
  /** Stops the run. The first code counts. */
  end(code: number): void;
  /** Ctrl-C and the like: the first time the run stops, the second time the process is left. */
  interrupt(signal: StopSignal): void;
  /** Listens to nothing any more but stdout, whose errors may come late. */
  release(): void;
}

export interface EndingOptions {
  readonly clock: Clock;
  /** Seconds after which the run ends, with 0. Default: never. */
  readonly seconds?: number | undefined;
  /** Default: SIGINT and SIGTERM. */
  readonly signals?: readonly StopSignal[];
  /** Says a line about the program. Default: on stderr. */
  readonly say?: (text: string) => void;
}

export const endingOf = (io: Io, options: EndingOptions): Ending => {
  const { clock, seconds, signals, say = (text) => notice(io, text) } = options;
  const controller = new AbortController();
  const { promise: code, resolve } = Promise.withResolvers<number>();
  let isInterrupted = false;
  const end = (code: number): void => {
    resolve(code);
    controller.abort();
  };
  const interrupt = (signal: StopSignal): void => {
    if (isInterrupted) io.leave(signalCode(signal));
    else say("stopping; once more leaves at once.");
    isInterrupted = true;
    end(signalCode(signal));
  };
  io.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    if (error.code !== "EPIPE") say(`the output cannot be written: ${error.message}`);
    end(error.code === "EPIPE" ? exitCodes.done : exitCodes.usage);
  });
  const timeIsOver = (): void => {
    if (controller.signal.aborted) return;
    say(`stopping, for the time is over (--for ${seconds}).`);
    end(exitCodes.done);
  };
  const timer = seconds === undefined ? undefined : clock.setTimeout(timeIsOver, seconds * 1000);
  const deaf = io.onSignal(interrupt, signals);
  return {
    signal: controller.signal,
    code,
    end,
    interrupt,
    release() {
      deaf();
      if (timer !== undefined) clock.clearTimeout(timer);
    },
  };
};

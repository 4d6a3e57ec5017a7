import type { StopSignal } from "./io.ts";

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  stuck: 3,
} as const;

/** 128 and the signal's number, as shells have it. */
export const signalCode = (signal: StopSignal): number => 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal];

export const exitCodesHelp = `Exit codes:
  0    the input is at an end and the thread is idle; also when --for is over, or the reader of the output went away
  1    a line was refused, or the work on one ended in a failure; the lines after it were sent all the same
  2    a mistake in the command line, a file that cannot be read, or output that cannot be written
  3    the input is at an end, and the thread waits for something that only another input could bring
  130  stopped by Ctrl-C (143: by SIGTERM); a second one leaves at once`;

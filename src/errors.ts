/** An error this library throws on purpose. Match on `code`; messages may be reworded. */
export abstract class WakefulError extends Error {
  abstract readonly code: string;
}

/** An envelope was not accepted: nothing of it is stored, and the same id may be used again. */
export class InputRefusedError extends WakefulError {
  override readonly name = "InputRefusedError";
  readonly code = "INPUT_REFUSED";
  readonly threadId: string;
  readonly reason: string;
  /** The same input may be accepted later, under the same id: the thread's inbox was full. */
  readonly mayPass: boolean;
  constructor(threadId: string, reason: string, options: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(`The input did not reach thread ${JSON.stringify(threadId)}: ${reason}`, options);
    this.threadId = threadId;
    this.reason = reason;
    this.mayPass = options.mayPass ?? false;
  }
}

/** `defineTool` was given something that is no tool. */
export class ToolDefinitionError extends WakefulError {
  override readonly name = "ToolDefinitionError";
  readonly code = "TOOL_DEFINITION";
  readonly tool: string;
  constructor(tool: string, problem: string) {
    super(`The tool ${JSON.stringify(tool)} cannot be used: ${problem}`);
    this.tool = tool;
  }
}

/** Two tools of one thread have the same name, or a name is reserved or asked for and unknown. */
export class ToolNameError extends WakefulError {
  override readonly name = "ToolNameError";
  readonly code = "TOOL_NAME";
  readonly tool: string;
  constructor(tool: string, problem: string) {
    super(`Tool name ${JSON.stringify(tool)}: ${problem}`);
    this.tool = tool;
  }
}

/** Throw it in a tool: its message is shown to the model. What any other error says stays in the feed and the log. */
export class ToolError extends WakefulError {
  override readonly name = "ToolError";
  readonly code = "TOOL_ERROR";
}

/** An option has a value that cannot work. */
export class OptionError extends WakefulError {
  override readonly name = "OptionError";
  readonly code = "OPTION";
  readonly option: string;
  constructor(option: string, problem: string, options?: ErrorOptions) {
    super(`Option ${option}: ${problem}`, options);
    this.option = option;
  }
}

/** An address was not made by this library, or is cut short. */
export class AddressError extends WakefulError {
  override readonly name = "AddressError";
  readonly code = "ADDRESS";
  constructor(address: string) {
    super(
      `${JSON.stringify(address.slice(0, 80))} is no call address. Pass on the string from call.address unchanged.`,
    );
  }
}

/** `launch` was given an id that a thread has already. `open` finds that thread. */
export class ThreadExistsError extends WakefulError {
  override readonly name = "ThreadExistsError";
  readonly code = "THREAD_EXISTS";
  readonly threadId: string;
  constructor(threadId: string) {
    super(
      `Thread ${JSON.stringify(threadId)} exists already. Use system.open(id) to find it, or launch under another id.`,
    );
    this.threadId = threadId;
  }
}

/** An id is no thread id. */
export class ThreadIdError extends WakefulError {
  override readonly name = "ThreadIdError";
  readonly code = "THREAD_ID";
  readonly threadId: string;
  constructor(threadId: string) {
    super(
      `${JSON.stringify(threadId.slice(0, 80))} is no thread id: it takes 1 to 200 characters of A-Z a-z 0-9 . _ : / @ -`,
    );
    this.threadId = threadId;
  }
}

/** The thread ended its work without an answer; its inputs are in its history. Writing to it goes on from there. */
export class ThreadFailedError extends WakefulError {
  override readonly name = "ThreadFailedError";
  readonly code = "THREAD_FAILED";
  readonly threadId: string;
  /** The failure's own code, as in `lastFailure`. */
  readonly failure: string;
  constructor(threadId: string, failure: string, message: string) {
    super(`Thread ${JSON.stringify(threadId)} did not answer (${failure}): ${message}`);
    this.threadId = threadId;
    this.failure = failure;
  }
}

/** Something else came before the answer that was waited for; the text stays in the history. */
export class AnswerInterruptedError extends WakefulError {
  override readonly name = "AnswerInterruptedError";
  readonly code = "ANSWER_INTERRUPTED";
  readonly threadId: string;
  constructor(threadId: string, what: string) {
    super(`Thread ${JSON.stringify(threadId)} was interrupted: ${what}.`);
    this.threadId = threadId;
  }
}

/** `ask` was given an id that the thread has seen: no answer will follow. */
export class RepeatedInputError extends WakefulError {
  override readonly name = "RepeatedInputError";
  readonly code = "INPUT_REPEATED";
  readonly threadId: string;
  constructor(threadId: string, id: string) {
    super(
      `Thread ${JSON.stringify(threadId)} has seen the id ${JSON.stringify(id)}, so no answer follows. Use a new id, or thread.send and the history.`,
    );
    this.threadId = threadId;
  }
}

/** The system was stopped. What was accepted before waits in its store for the next one. */
export class SystemStoppedError extends WakefulError {
  override readonly name = "SystemStoppedError";
  readonly code = "SYSTEM_STOPPED";
  constructor(what: string) {
    super(`The system was stopped while ${what}. Make a new one on the same store to go on.`);
  }
}

/** A file cannot be read, or is no scenario file of version 1. */
export class ScenarioFileError extends WakefulError {
  override readonly name = "ScenarioFileError";
  readonly code = "SCENARIO_FILE";
  readonly file: string;
  /** The scenario's id; undefined when the file as a whole is wrong, or the scenario has none. */
  readonly scenario: string | undefined;
  /** Where in the scenario (or the file), e.g. `steps[3].op`; "" for the whole. */
  readonly path: string;
  readonly problem: string;
  constructor(file: string, scenario: string | undefined, path: string, problem: string, options?: ErrorOptions) {
    const place = [scenario && `scenario ${scenario}`, path].filter((part) => part).join(", ");
    super(`${file}${place && `, ${place}`}: ${problem}`, options);
    this.file = file;
    this.scenario = scenario;
    this.path = path;
    this.problem = problem;
  }
}

/** The store failed or was asked for something that contradicts what it holds; nothing of the operation was acknowledged. */
export class StoreError extends WakefulError {
  override readonly name = "StoreError";
  readonly code = "STORE";
  constructor(problem: string, options?: ErrorOptions) {
    super(`The store failed: ${problem}`, options);
  }
}

/** A store was used after `close()`. */
export class StoreClosedError extends WakefulError {
  override readonly name = "StoreClosedError";
  readonly code = "STORE_CLOSED";
  constructor(what: string) {
    super(`The store was closed before ${what}. Close a store after the systems and senders that use it.`);
  }
}

/** A file that was given for tools has none, or cannot be read as a module. */
export class ToolFileError extends WakefulError {
  override readonly name = "ToolFileError";
  readonly code = "TOOL_FILE";
  readonly file: string;
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`Tools file ${file}: ${problem}`, options);
    this.file = file;
  }
}

/** A model's turn went on beyond what any turn may be; the request was closed. */
export class TurnTooLongError extends WakefulError {
  override readonly name = "TurnTooLongError";
  readonly code = "TURN_TOO_LONG";
  readonly limit: number;
  constructor(limit: number) {
    super(
      `The model's turn went beyond ${limit} characters, so the request was closed. Ask for less, or limit its output tokens.`,
    );
    this.limit = limit;
  }
}

/** The file of a store cannot be used as it is; nothing in it was changed. Each `code` has its own way out, in the message. */
export class StoreFileError extends WakefulError {
  override readonly name = "StoreFileError";
  /**
   * `STORE_PATH`: nothing can be a database there. `STORE_PERMISSION`, `STORE_READ_ONLY`: the system forbids it.
   * `STORE_FOREIGN`: another program's file. `STORE_NEWER`: made by a later version. `STORE_LOCKED`: another process holds
   * it. `STORE_FULL`: no room to write. `STORE_IO`: the disk or the file system failed.
   */
  readonly code:
    | "STORE_PATH"
    | "STORE_PERMISSION"
    | "STORE_READ_ONLY"
    | "STORE_FOREIGN"
    | "STORE_NEWER"
    | "STORE_LOCKED"
    | "STORE_FULL"
    | "STORE_IO";
  readonly file: string;
  constructor(file: string, code: StoreFileError["code"], problem: string, options?: ErrorOptions) {
    super(`The store ${file} ${problem}`, options);
    this.file = file;
    this.code = code;
  }
}

/** A stored value cannot be read: the file is damaged, or a newer version wrote it. What does not depend on that value can still be used. */
export class StoreCorruptError extends WakefulError {
  override readonly name = "StoreCorruptError";
  readonly code = "STORE_CORRUPT";
  readonly file: string;
  /** The thread whose value it is, where that is known. */
  readonly threadId: string | undefined;
  /** The position in the thread's history, when it is an entry. */
  readonly position: number | undefined;
  constructor(
    file: string,
    where: { readonly what: string; readonly threadId?: string; readonly position?: number },
    problem: string,
    options?: ErrorOptions,
  ) {
    const of = where.threadId === undefined ? "" : ` of thread ${where.threadId}`;
    super(
      `The store ${file} is damaged: ${where.what}${of} cannot be read (${problem}). If a newer version of wakeful wrote it, use that one; else restore the file from a backup, its -wal file with it.`,
      options,
    );
    this.file = file;
    this.threadId = where.threadId;
    this.position = where.position;
  }
}

/** Another system runs the threads of this store. It may be accepted into and read all the same: see `createSender`. */
export class LeaseHeldError extends WakefulError {
  override readonly name = "LeaseHeldError";
  readonly code = "LEASE_HELD";
  readonly holder: string;
  /** ms since the epoch: when the lease runs out if its holder is gone; Infinity for a system of this process. */
  readonly until: number;
  /** The lease that is held: `runner` for all threads of a resident system, `thread/<id>` for one that a step worker runs. */
  readonly lease: string;
  constructor(holder: string, until: number, lease = "runner") {
    super(
      `${lease === "runner" ? "The threads of this store are" : `The ${lease.replace("/", " ")} is`} run by ${holder}. Stop it${Number.isFinite(until) ? `, or wait until ${new Date(until).toISOString()} if it is gone` : ""}; to send inputs or read, no system is needed.`,
    );
    this.holder = holder;
    this.until = until;
    this.lease = lease;
  }
}

/** A tool asked a person something that cannot be asked, or whose call is over. */
export class QuestionError extends WakefulError {
  override readonly name = "QuestionError";
  readonly code = "QUESTION";
  constructor(problem: string, options?: ErrorOptions) {
    super(`The question was not asked: ${problem}`, options);
  }
}

/** A question takes no answer: it was answered, ran out, was withdrawn with its call, or never was there. */
export class ChoiceClosedError extends WakefulError {
  override readonly name = "ChoiceClosedError";
  readonly code = "CHOICE_CLOSED";
  readonly choiceId: string;
  constructor(choiceId: string, problem: string) {
    super(`The question ${JSON.stringify(choiceId)} takes no answer: ${problem}`);
    this.choiceId = choiceId;
  }
}

/** An answer names a choice that the question does not have. The question stays open. */
export class NoSuchChoiceError extends WakefulError {
  override readonly name = "NoSuchChoiceError";
  readonly code = "NO_SUCH_CHOICE";
  readonly choiceId: string;
  readonly choices: readonly string[];
  constructor(choiceId: string, given: string, choices: readonly string[]) {
    const known = choices.map((choice, index) => `${index} (${JSON.stringify(choice)})`).join(", ");
    super(`The question ${JSON.stringify(choiceId)} has no choice ${given}; it has ${known}.`);
    this.choiceId = choiceId;
    this.choices = choices;
  }
}

/**
 * What `threadConfig` gave for a thread cannot work. The thread's slice has not begun; it is asked for again, with growing
 * waits.
 */
export class ThreadConfigError extends WakefulError {
  override readonly name = "ThreadConfigError";
  readonly code = "THREAD_CONFIG";
  readonly threadId: string;
  constructor(threadId: string, problem: string, options?: ErrorOptions) {
    super(`The configuration of thread ${threadId} cannot be used: ${problem}`, options);
    this.threadId = threadId;
  }
}

/**
 * A reader of the feed wants to go on behind a fact that this store does not have: its cursor is from another store, or
 * from a time that a backup, or a power cut at NORMAL, took back. Going on there would skip what comes until the position
 * is reached again.
 */
export class FeedCursorError extends WakefulError {
  override readonly name = "FeedCursorError";
  readonly code = "FEED_CURSOR";
  readonly after: number;
  constructor(after: number) {
    super(
      `The feed has no position ${after} to go on behind: the cursor is from another store, or the store was put back to an earlier state. Begin at 0, or at a position that was read from this store.`,
    );
    this.after = after;
  }
}

/** The thread was left alone, and nobody has called for it since. */
export class ThreadQuarantinedError extends WakefulError {
  override readonly name = "ThreadQuarantinedError";
  readonly code = "THREAD_QUARANTINED";
  readonly threadId: string;

  constructor(threadId: string, problem: string) {
    super(
      `Thread ${threadId} is left alone: ${problem}. Its inputs wait in the store. Send it a text, or release it, to have it tried again.`,
    );
    this.threadId = threadId;
  }
}

/** Something that takes a process that stays was asked of a system that does not, or the other way round. */
export class StepModeError extends WakefulError {
  override readonly name = "StepModeError";
  readonly code = "STEP_MODE";
}

/** The store does not count what trees of threads have used. */
export class TreeUsageError extends WakefulError {
  override readonly name = "TreeUsageError";
  readonly code = "TREE_USAGE_UNKNOWN";
  constructor() {
    super(
      "This store does not count what a tree of threads has used: it has no treeUsage. Ask each thread for its own.",
    );
  }
}

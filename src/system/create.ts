import { ThreadId } from "../../machines/history/ids.ts";
import { JsonObject } from "../../machines/history/json.ts";
import { systemClock } from "../clock.ts";
import { OptionError, SystemStoppedError, ThreadExistsError, ThreadIdError } from "../errors.ts";
import { consoleLogger } from "../logger.ts";
import { resolveModelOptions } from "../model/model.ts";
import { requestSlots } from "../model/stream/slots.ts";
import { parseEnvelope } from "../queue/door.ts";
import { createInputQueue } from "../queue/input-queue.ts";
import { onAccepted, tellAccepted } from "../queue/notice.ts";
import { freshness } from "../queue/refusal.ts";
import { memoryStore } from "../store/memory/memory-store.ts";
import type { ThreadSpec } from "../store/store.ts";
import type { SystemHooks, ThreadEnvironment } from "../thread/environment.ts";
import { guardedInspector } from "../thread/guarded-inspector.ts";
import { createCallRegistry } from "../tool/registry.ts";
import type { System, SystemOptions, Thread, ThreadOptions } from "./api.ts";
import { readFeed } from "./feed.ts";
import { createHub } from "./hub.ts";
import { limitsOf } from "./limits.ts";
import { createResidents } from "./residents.ts";
import { threadOf } from "./thread.ts";
import { startTimers } from "./timers.ts";
import { createToolShelf } from "./tools.ts";

/** ms that `stop` waits for commits under way. */
const stopLimit = 5_000;

const threadIdOf = (id: string): ThreadId => {
  const parsed = ThreadId.safeParse(id);
  if (!parsed.success) throw new ThreadIdError(String(id));
  return parsed.data;
};

/**
 * Makes a system on a store and takes up what waits there: threads with unconsumed inputs run without new input. A
 * store is for one running system at a time. `hooks` are for tests.
 */
export const createSystem = async (options: SystemOptions, hooks: SystemHooks = {}): Promise<System> => {
  const limits = limitsOf(options.limits);
  const { store = memoryStore(), clock = systemClock, logger = consoleLogger, random = Math.random } = options;
  if (!options.model) throw new OptionError("model", "is missing; give any AI SDK language model");
  const stopping = new AbortController();
  const hub = createHub();
  const shelf = createToolShelf(options, logger);
  let current = { model: options.model, options: resolveModelOptions(options.model, options.modelOptions) };

  const registry = createCallRegistry({
    clock,
    logger,
    random,
    sender: {
      async send(envelope) {
        // Made inside, by a tool of this process: results have a bound of their own, and no door to pass.
        const [acceptance] = await queue.send([envelope]);
        if (acceptance) freshness(envelope.threadId, acceptance);
      },
    },
  });
  const environment: ThreadEnvironment = {
    store,
    clock,
    logger,
    random,
    registry,
    slots: requestSlots(limits.openRequests),
    limits: {
      rounds: limits.rounds,
      equalCalls: limits.equalCalls,
      subscriptions: limits.subscriptions,
      inlineTool: limits.inlineTool,
      round: { tries: limits.tries, silence: limits.silence, slowRetry: limits.slowRetry },
    },
    model: () => current,
    toolset: (spec) => shelf.toolsetOf(spec),
    instructions: (spec) => [options.instructions, spec.instructions].filter((text) => text).join("\n\n"),
    watched: hub.watched,
    publish: hub.publish,
    committed: hub.committed,
    timersChanged: () => timers.changed(),
    inspect: options.inspect && guardedInspector(options.inspect, logger),
    hooks,
    signal: stopping.signal,
  };
  const residents = createResidents(environment);
  const queue = createInputQueue({
    store,
    clock,
    logger,
    inboxLimit: limits.inbox,
    deliver: (threadId, accepted) => tellAccepted(store, threadId, accepted),
  });
  const deaf = onAccepted(store, (threadId, accepted) => {
    if (hub.watched(threadId))
      for (const { waiting, feed, facts } of accepted)
        for (const [index, fact] of facts.entries())
          hub.publish({ ...fact, threadId, feed: feed + index, at: waiting.at });
    hub.committed();
    residents.deliver(
      threadId,
      accepted.map(({ waiting }) => waiting),
    );
  });
  const timers = startTimers({ store, clock, logger, deliver: (envelopes) => queue.send(envelopes) });

  const deliver = (async (given: unknown) => {
    const envelopes = (Array.isArray(given) ? given : [given]).map((value) => parseEnvelope(value, limits));
    const acceptances = await queue.send(envelopes);
    const fresh = acceptances.map((acceptance, index) => freshness(envelopes[index]?.threadId ?? "", acceptance));
    return Array.isArray(given) ? fresh : fresh[0];
  }) as System["deliver"];
  const freshId = (): string => crypto.randomUUID();
  const faceOf = (resident: Parameters<typeof threadOf>[0]): Thread =>
    threadOf(resident, { store, hub, deliver, freshId, readerBuffer: limits.readerBuffer });

  const find = async (id: ThreadId): Promise<Thread | undefined> => {
    if (stopping.signal.aborted) throw new SystemStoppedError(`thread ${id} was looked for`);
    const resident = await residents.load(id);
    return resident && faceOf(resident);
  };
  const specOf = ({ tools = [], instructions = "", metadata = {} }: ThreadOptions): ThreadSpec => {
    const parsed = JsonObject.safeParse(metadata);
    if (!parsed.success) throw new OptionError("metadata", "holds something that is no JSON", { cause: parsed.error });
    return { tools: shelf.namesOf(tools), instructions, metadata: parsed.data };
  };
  const create = async (id: ThreadId, given: ThreadOptions): Promise<boolean> => {
    if (stopping.signal.aborted) throw new SystemStoppedError(`thread ${id} was launched`);
    return store.create(id, specOf(given), clock.now());
  };
  const opened = async (id: ThreadId): Promise<Thread> => {
    const thread = await find(id);
    if (!thread) throw new SystemStoppedError(`thread ${id} was opened`);
    return thread;
  };

  for (const { threadId } of await store.threads({ withWork: true })) void residents.load(threadId);

  let stopped: Promise<void> | undefined;
  return {
    async open(id, given = {}) {
      const threadId = threadIdOf(id);
      if (!residents.get(threadId)) await create(threadId, given);
      return opened(threadId);
    },
    async launch({ id = freshId(), ...given } = {}) {
      const threadId = threadIdOf(id);
      if (!(await create(threadId, given))) throw new ThreadExistsError(id);
      return opened(threadId);
    },
    thread: async (id) => find(threadIdOf(id)),
    threads: (query) => store.threads(query),
    deliver,
    feed: (query) =>
      readFeed(
        { store, clock, signal: stopping.signal, pollInterval: limits.pollInterval, onNews: hub.onceCommitted },
        query,
      ),
    useModel(model, modelOptions) {
      current = { model, options: resolveModelOptions(model, modelOptions) };
      for (const resident of residents.all()) resident.actor.send({ type: "configuration.changed" });
    },
    stop() {
      stopped ??= (async () => {
        await queue.stop();
        deaf();
        timers.stop();
        registry.stop();
        const commits = Promise.all([...residents.all()].map((resident) => resident.settled()));
        let limit: unknown;
        const late = new Promise<void>((resolve) => {
          limit = clock.setTimeout(resolve, stopLimit);
        });
        await Promise.race([commits, late]);
        clock.clearTimeout(limit);
        stopping.abort();
        for (const resident of residents.all()) resident.stop();
        hub.close();
      })();
      return stopped;
    },
  };
};

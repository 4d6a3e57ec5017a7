import { hostname } from "node:os";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ThreadId } from "../../machines/history/ids.ts";
import { systemClock } from "../clock.ts";
import { SystemStoppedError, ThreadExistsError } from "../errors.ts";
import { consoleLogger, guardedLogger } from "../logger.ts";
import { rememberEventsAsText } from "../model/events-as.ts";
import { type ModelOptions, resolveModelOptions } from "../model/model.ts";
import { checkPrices, priceOf } from "../model/prices.ts";
import { requestSlots } from "../model/stream/slots.ts";
import { parseEnvelope } from "../queue/door.ts";
import { createInputQueue } from "../queue/input-queue.ts";
import { onAccepted, tellAccepted } from "../queue/notice.ts";
import { freshness } from "../queue/refusal.ts";
import { threadIdOf, threadSpecOf } from "../queue/thread-spec.ts";
import { memoryStore } from "../store/memory/memory-store.ts";
import { isShared, type Store, type ThreadSpec } from "../store/store.ts";
import type { SystemHooks, ThreadEnvironment } from "../thread/environment.ts";
import { findResult } from "../thread/find-result.ts";
import { createInspection } from "../thread/inspection.ts";
import type { Resident } from "../thread/resident.ts";
import { createCallRegistry } from "../tool/registry.ts";
import type { System, SystemOptions, Thread, ThreadOptions } from "./api.ts";
import { checkBudget } from "./budget.ts";
import { watchElsewhere } from "./elsewhere.ts";
import { readFeed } from "./feed.ts";
import { createHub } from "./hub.ts";
import { type HeldLease, holdLease } from "./lease.ts";
import { limitsOf, threadLimitsOf } from "./limits.ts";
import { retryAfterOf } from "./model-failure.ts";
import { checkModel, checkTools } from "./options.ts";
import { createResidents } from "./residents.ts";
import { runsAll } from "./step/leases.ts";
import { refuseSlices } from "./step/refuse.ts";
import { createStepSystem } from "./step/system.ts";
import { createSupervisor } from "./supervisor.ts";
import { threadOf } from "./thread.ts";
import { createConfigurations } from "./thread-config.ts";
import { startTimers } from "./timers.ts";
import { createToolShelf } from "./tools.ts";

/** Stores in this process whose last system was stopped: nothing died over what they hold. */
const leftInOrder = new WeakSet<Store>();

/** Of a store that others share the lease tells: who ends in order gives it back. */
const wasLeftInOrder = (store: Store, lease: HeldLease | undefined): boolean => {
  const left = lease ? !lease.isAbandoned : leftInOrder.has(store);
  leftInOrder.delete(store);
  return left;
};

/**
 * Makes a system on a store and takes up what waits there: threads with unconsumed inputs run without new input. A
 * store is for one running system at a time. `hooks` are for tests.
 */
export const createSystem = async (options: SystemOptions, hooks: SystemHooks = {}): Promise<System> => {
  if (options.resident === false) return createStepSystem(options, hooks);
  const limits = limitsOf(options.limits);
  const { store = memoryStore(), clock = systemClock, random = Math.random } = options;
  const logger = guardedLogger(options.logger ?? consoleLogger);
  // Whatever can be refused is refused before the lease is taken: a system that never began holds none.
  checkModel(options.model);
  checkTools("tools", options.tools ?? []);
  checkTools("toolbox", options.toolbox ?? []);
  const { prices = {}, budget } = options;
  checkPrices(prices);
  checkBudget(budget, options.model, prices, store);
  const retryAfter = retryAfterOf(options.onModelFailure, logger);
  const shelf = createToolShelf(options, logger);
  let current = { model: options.model, options: resolveModelOptions(options.model, options.modelOptions) };
  const stopping = new AbortController();
  const freshId = hooks.freshId ?? ((): string => crypto.randomUUID());
  const shared = isShared(store) ? store : undefined;
  const holder = `process ${process.pid} on ${hostname()} (${freshId()})`;
  const leaveAll = await runsAll(store, holder, clock.now());
  const lease =
    shared &&
    (await holdLease({
      store: shared,
      clock,
      logger,
      holder,
      ttl: limits.lease,
      onLost(by) {
        logger.error({ by }, "another system took over the threads of this store; this one stops");
        for (const resident of residents.all()) resident.stop();
        void system.stop();
      },
    }));
  const hub = createHub();
  const useModel = (model: LanguageModelV4, modelOptions?: ModelOptions): void => {
    checkModel(model);
    current = { model, options: resolveModelOptions(model, modelOptions) };
    for (const resident of residents.all()) resident.actor.send({ type: "configuration.changed" });
  };

  const registry = createCallRegistry({
    clock,
    logger,
    random,
    findResult: async (threadId, shown) => {
      const opening = (await residents.load(threadId))?.loaded.opening ?? null;
      return findResult(store, { threadId, opening }, shown);
    },
    choice: async (threadId, choiceId) =>
      (await residents.load(threadId))?.snapshot.context.choices.find((choice) => choice.choiceId === choiceId),
    door: { send: (envelope) => deliver(envelope) },
    sender: {
      async send(envelope) {
        // A result was made, and bounded, by the registry itself; what sources and tools say has the door to pass.
        if (envelope.input.kind !== "result") return deliver(envelope);
        const [acceptance] = await queue.send([envelope]);
        return acceptance !== undefined && freshness(envelope.threadId, acceptance);
      },
    },
  });
  const inspection = createInspection({ logger, roots: () => [...residents.all()].map(({ actor }) => actor) });
  const environment: ThreadEnvironment = {
    store,
    clock,
    logger,
    random,
    registry,
    slots: requestSlots(limits.openRequests),
    limits: { ...threadLimitsOf(limits), ...(retryAfter && { retryAfter }) },
    configure: (thread) => configurations.configure(thread),
    priceOf: (model) => priceOf(prices, model),
    configuresEachSlice: options.threadConfig !== undefined,
    readsEventsAsText(model) {
      rememberEventsAsText(model);
      useModel(current.model, current.options);
    },
    watched: hub.watched,
    publish: hub.publish,
    committed: hub.committed,
    opened(threads) {
      for (const { threadId, inherited } of threads) void residents.begin(threadId, { inherited, isNew: true });
    },
    delivered: (threadId, accepted) => tellAccepted(store, threadId, accepted),
    freshId,
    timersChanged: () => timers.changed(),
    inspection,
    hooks,
    signal: stopping.signal,
  };
  const wasInOrder = wasLeftInOrder(store, lease);
  const residents = createResidents(environment, {
    ...limits,
    death: wasInOrder ? null : { of: "process", at: clock.now(), life: freshId() },
    fates: {
      failed: (threadId) => supervisor.failed(threadId),
      unreadable: (threadId, problem) => supervisor.unreadable(threadId, problem),
      rested: (threadId) => supervisor.rested(threadId),
      isAside: (threadId) => supervisor.isAside(threadId),
      called: (threadId) => supervisor.called(threadId),
    },
  });
  const configurations = createConfigurations({
    source: options.threadConfig,
    shelf,
    model: () => current,
    instructions: options.instructions,
    budget,
    ofParent: async (threadId) => (await residents.load(threadId))?.configuredOnce(),
  });
  if (options.inspect) inspection.observe(options.inspect);
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
    if (accepted.length > 0) residents.deliver(threadId, accepted);
    else void residents.look(threadId);
  });

  const deliver = (async (given: unknown) => {
    const envelopes = (Array.isArray(given) ? given : [given]).map((value) => parseEnvelope(value, limits));
    const acceptances = await queue.send(envelopes);
    const fresh = acceptances.map((acceptance, index) => freshness(envelopes[index]?.threadId ?? "", acceptance));
    return Array.isArray(given) ? fresh : fresh[0];
  }) as System["deliver"];
  const faceOf = (resident: Resident): Thread =>
    threadOf(resident, {
      store,
      hub,
      deliver,
      freshId,
      readerBuffer: limits.readerBuffer,
      signal: stopping.signal,
      loading: residents.loading,
      handle: residents.handle,
      load: residents.load,
    });

  const find = async (id: ThreadId): Promise<Thread | undefined> => {
    if (stopping.signal.aborted) throw new SystemStoppedError(`thread ${id} was looked for`);
    const resident = await residents.load(id).catch((error) => {
      if (stopping.signal.aborted) throw new SystemStoppedError(`thread ${id} was loaded`);
      throw error;
    });
    return resident && faceOf(resident);
  };
  const specOf = ({ tools = [], ...given }: ThreadOptions): ThreadSpec =>
    threadSpecOf({ ...given, tools: shelf.namesOf(tools) }, limits.inputSize);
  const create = async (id: ThreadId, given: ThreadOptions): Promise<boolean> => {
    if (stopping.signal.aborted) throw new SystemStoppedError(`thread ${id} was launched`);
    return store.create(id, specOf(given), clock.now());
  };
  const opened = async (id: ThreadId): Promise<Thread> => {
    const thread = await find(id);
    if (!thread) throw new SystemStoppedError(`thread ${id} was opened`);
    return thread;
  };

  const timers = startTimers({ store, clock, logger, deliver: (envelopes) => queue.send(envelopes) });
  let deafElsewhere: (() => void) | undefined;
  const drain = async (): Promise<void> => {
    const accepted = queue.stop().finally(deaf);
    deafElsewhere?.();
    timers.stop();
    await accepted;
    await residents.leave();
  };
  const supervisor = createSupervisor({
    store,
    clock,
    logger,
    limits,
    begin: residents.begin,
    abandon: residents.abandon,
    drain,
    signal: stopping.signal,
  });

  const end = async (): Promise<void> => {
    registry.stop();
    stopping.abort();
    for (const resident of residents.all()) resident.stop();
    hub.close();
    leaveAll();
    await Promise.all([lease?.release(), inspection.close()]);
  };

  let stopped: Promise<void> | undefined;
  const system: System = {
    async open(id, given = {}) {
      const threadId = threadIdOf(id);
      const there = await find(threadId);
      if (there) return there;
      await create(threadId, given);
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
    slices: refuseSlices,
    feed: (query) =>
      readFeed(
        { store, clock, signal: stopping.signal, pollInterval: limits.pollInterval, onNews: hub.onceCommitted },
        query,
      ),
    inspect: inspection.observe,
    useModel,
    stop() {
      stopped ??= (async () => {
        await supervisor.stop();
        await end();
        leftInOrder.add(store);
      })();
      return stopped;
    },
  };
  try {
    // Before the threads with work are listed: nothing falls in between.
    if (shared) {
      const { pollInterval } = limits;
      deafElsewhere = await watchElsewhere({ store: shared, clock, logger, pollInterval, onInputs: residents.look });
    }
    await supervisor.start();
  } catch (error) {
    // Nothing of a system that never began may go on, nor hold the lease.
    await drain();
    await end();
    if (wasInOrder) leftInOrder.add(store);
    throw error;
  }
  return system;
};

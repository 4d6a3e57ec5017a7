import { hostname } from "node:os";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { systemClock } from "../../clock.ts";
import { SystemStoppedError, ThreadExistsError } from "../../errors.ts";
import { consoleLogger, guardedLogger } from "../../logger.ts";
import { rememberEventsAsText } from "../../model/events-as.ts";
import { type ModelOptions, resolveModelOptions } from "../../model/model.ts";
import { checkPrices, priceOf } from "../../model/prices.ts";
import { requestSlots } from "../../model/stream/slots.ts";
import { parseEnvelope } from "../../queue/door.ts";
import { createInputQueue } from "../../queue/input-queue.ts";
import { onAccepted, tellAccepted } from "../../queue/notice.ts";
import { freshness } from "../../queue/refusal.ts";
import { threadIdOf, threadSpecOf } from "../../queue/thread-spec.ts";
import { memoryStore } from "../../store/memory/memory-store.ts";
import type { LoadedThread } from "../../store/store.ts";
import { configurationOf } from "../../thread/configuration.ts";
import { runnableThread } from "../../thread/effects.ts";
import type { SystemHooks, ThreadEnvironment } from "../../thread/environment.ts";
import { findResult } from "../../thread/find-result.ts";
import { createInspection } from "../../thread/inspection.ts";
import { Resident } from "../../thread/resident.ts";
import { createCallRegistry } from "../../tool/registry.ts";
import type { System, SystemOptions, Thread, ThreadOptions } from "../api.ts";
import { checkBudget } from "../budget.ts";
import { readFeed } from "../feed.ts";
import { ThreadHandle } from "../handles.ts";
import { createHub } from "../hub.ts";
import { limitsOf, threadLimitsOf } from "../limits.ts";
import { retryAfterOf } from "../model-failure.ts";
import { checkModel, checkTools } from "../options.ts";
import { threadOf } from "../thread.ts";
import { createConfigurations } from "../thread-config.ts";
import { createToolShelf } from "../tools.ts";
import { leasesOf } from "./leases.ts";
import { checkStepTools, mustRun } from "./refuse.ts";
import { runSlices } from "./slices.ts";

/** ms that a slice waits for a store that fails; then it is given up, and who called is told. */
const patience = 2_000;
/** ms that the end waits for slices that are under way. */
const longestEnd = 5_000;

/** A system in which nothing runs by itself: each call of `slices` brings threads into memory, for one slice each. */
export const createStepSystem = async (options: SystemOptions, hooks: SystemHooks = {}): Promise<System> => {
  const limits = limitsOf(options.limits);
  const { store = memoryStore(), clock = systemClock, random = Math.random } = options;
  const logger = guardedLogger(options.logger ?? consoleLogger);
  checkModel(options.model);
  for (const list of ["tools", "toolbox"] as const) {
    checkTools(list, options[list] ?? []);
    checkStepTools(options[list] ?? []);
  }
  const { prices = {}, budget } = options;
  checkPrices(prices);
  checkBudget(budget, options.model, prices, store);
  const retryAfter = retryAfterOf(options.onModelFailure, logger);
  const shelf = createToolShelf(options, logger);
  let current = { model: options.model, options: resolveModelOptions(options.model, options.modelOptions) };
  const stopping = new AbortController();
  const { signal } = stopping;
  const freshId = hooks.freshId ?? ((): string => crypto.randomUUID());
  const hub = createHub();
  const running = new Map<ThreadId, Resident>();
  const inspection = createInspection({ logger, roots: () => [...running.values()].map(({ actor }) => actor) });
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
  });
  const useModel = (model: LanguageModelV4, modelOptions?: ModelOptions): void => {
    checkModel(model);
    current = { model, options: resolveModelOptions(model, modelOptions) };
    for (const resident of running.values()) resident.actor.send({ type: "configuration.changed" });
  };
  const deliver = (async (given: unknown) => {
    const envelopes = (Array.isArray(given) ? given : [given]).map((value) => parseEnvelope(value, limits));
    const acceptances = await queue.send(envelopes);
    const fresh = acceptances.map((acceptance, index) => freshness(envelopes[index]?.threadId ?? "", acceptance));
    return Array.isArray(given) ? fresh : fresh[0];
  }) as System["deliver"];
  const registry = createCallRegistry({
    clock,
    logger,
    random,
    stays: false,
    findResult: async (threadId, shown) => {
      const opening = (await store.load(threadId))?.opening ?? null;
      return findResult(store, { threadId, opening }, shown);
    },
    door: { send: (envelope) => deliver(envelope) },
    sender: {
      async send(envelope) {
        if (envelope.input.kind !== "result") return deliver(envelope);
        const [acceptance] = await queue.send([envelope]);
        return acceptance !== undefined && freshness(envelope.threadId, acceptance);
      },
    },
  });
  const configurations = createConfigurations({
    source: options.threadConfig,
    shelf,
    model: () => current,
    instructions: options.instructions,
    budget,
    async ofParent(threadId) {
      const loaded = await store.load(threadId);
      return loaded && configurationOf({ loaded, configuration: undefined, publish: () => {} }, env);
    },
  });
  const env: ThreadEnvironment = {
    store,
    clock,
    logger,
    random,
    // A producer that another process followed goes on there, or when a resident system runs the thread.
    registry: { ...registry, resume: () => {} },
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
    opened: () => {},
    delivered: (threadId, accepted) => tellAccepted(store, threadId, accepted),
    freshId,
    timersChanged: () => {},
    inspection,
    hooks,
    signal,
    patience,
  };
  const machine = runnableThread(env, (threadId) => {
    const resident = running.get(threadId);
    if (!resident) throw new Error(`Thread ${threadId} acts and runs in no slice.`);
    return resident;
  });
  if (options.inspect) inspection.observe(options.inspect);

  /** A thread as it is in the store now. Its actor is never started: it only says in which state that is. */
  const asStored = (loaded: LoadedThread): Resident =>
    new Resident(env, machine, loaded, { death: null, onDeath: () => {}, onEnd: () => {}, onState: () => {} });
  const read = async (threadId: ThreadId): Promise<Resident | undefined> => {
    const loaded = await store.load(threadId);
    return loaded && asStored(loaded);
  };
  const check = (what: string): void => {
    if (signal.aborted) throw new SystemStoppedError(what);
  };
  const find = async (id: ThreadId): Promise<Thread | undefined> => {
    check(`thread ${id} was looked for`);
    const resident = await read(id);
    const handle = resident && new ThreadHandle(resident);
    return (
      handle &&
      threadOf(resident, {
        store,
        hub,
        deliver,
        freshId,
        readerBuffer: limits.readerBuffer,
        signal,
        loading: () => undefined,
        handle: (other) => (other === resident ? handle : new ThreadHandle(other)),
        load: read,
        mustRun,
      })
    );
  };
  const create = (id: ThreadId, { tools = [], ...given }: ThreadOptions): Promise<boolean> => {
    check(`thread ${id} was launched`);
    checkStepTools(tools);
    const spec = threadSpecOf({ ...given, tools: shelf.namesOf(tools) }, limits.inputSize);
    return store.create(id, spec, clock.now());
  };
  const opened = async (id: ThreadId): Promise<Thread> => {
    const thread = await find(id);
    if (!thread) throw new SystemStoppedError(`thread ${id} was opened`);
    return thread;
  };

  const under = new Set<Promise<unknown>>();
  const slices: System["slices"] = async (given, sliceOptions = {}) => {
    check("slices were to be run");
    const parts = { env, machine, running, registry, clock, logger, limits };
    const holder = `a step worker of process ${process.pid} on ${hostname()}`;
    const send = queue.send;
    const run = runSlices(given, sliceOptions, { ...parts, leases: leasesOf(store), holder, ttl: limits.lease, send });
    under.add(run);
    return run.finally(() => under.delete(run));
  };

  const end = async (): Promise<void> => {
    const accepted = queue.stop();
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, longestEnd);
    });
    for (const resident of running.values()) void resident.leave();
    registry.stop();
    await Promise.race([Promise.allSettled([accepted, ...under]), late]);
    clock.clearTimeout(timer);
    deaf();
    stopping.abort();
    for (const resident of running.values()) resident.stop();
    hub.close();
    await inspection.close();
  };
  let stopped: Promise<void> | undefined;

  return {
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
    slices,
    feed: (query) =>
      readFeed({ store, clock, signal, pollInterval: limits.pollInterval, onNews: hub.onceCommitted }, query),
    inspect: inspection.observe,
    useModel,
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
};

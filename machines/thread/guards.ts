import type { HistoryRepair } from "../history/repair.ts";
import type { RoundOutput } from "../round/turn.ts";
import { budgetIsReached, reachesBudget, type TreeUse } from "./budget.ts";
import { isActive } from "./commit.ts";
import { compacts, compactsNothing, isTooLong } from "./compacting.ts";
import {
  batchWaits,
  bringsInterruption,
  callsInline,
  closeWaits,
  controlWaits,
  haltWaits,
  handsOver,
  isClosed,
  isSetAside,
  isUnheard,
  lossWaits,
  mayAsk,
  quietWaits,
  roundIsDue,
  stopFollows,
  stopWaits,
  textInterrupts,
} from "./decide.ts";
import type { WaitingInput } from "./input.ts";
import { leavesRound } from "./leaving.ts";
import type { Ledger } from "./ledger.ts";
import { diedTooOften, releaseWaits, wasLeftAtWork } from "./quarantine.ts";

interface Asked {
  readonly context: Ledger;
}

/** The guards of the chart, by the names it uses. */
export const guards = {
  bringsInterruption: (_: Asked, { inputs }: { inputs: readonly WaitingInput[] }) => bringsInterruption(inputs),
  isDamaged: (_: Asked, { repair }: { repair: HistoryRepair | null }) => repair !== null,
  isLeaving: ({ context }: Asked) => context.leaving,
  leavesRound: ({ context }: Asked) => leavesRound(context),
  isStopping: ({ context }: Asked) => context.stopping,
  isUnheard: ({ context }: Asked, { output }: { output: RoundOutput }) => isUnheard(context, output),
  diedTooOften: ({ context }: Asked) => diedTooOften(context),
  wasLeftAtWork: ({ context }: Asked) => wasLeftAtWork(context),
  isTooLong: ({ context }: Asked, { output }: { output: RoundOutput }) => isTooLong(context, output),
  compacts: ({ context }: Asked) => compacts(context),
  compactsNothing: ({ context }: Asked) => compactsNothing(context),
  releaseWaits: ({ context }: Asked) => releaseWaits(context),
  isSetAside: ({ context }: Asked) => isSetAside(context),
  isClosed: ({ context }: Asked) => isClosed(context),
  closeWaits: ({ context }: Asked) => closeWaits(context),
  haltWaits: ({ context }: Asked) => haltWaits(context),
  ownerStops: ({ context }: Asked) => closeWaits(context) || haltWaits(context),
  quietWaits: ({ context }: Asked) => quietWaits(context),
  stopWaits: ({ context }: Asked) => stopWaits(context),
  stopFollows: ({ context }: Asked) => stopFollows(context),
  controlWaits: ({ context }: Asked) => controlWaits(context),
  textInterrupts: ({ context }: Asked) => textInterrupts(context),
  handsOver: ({ context }: Asked) => handsOver(context),
  callsInline: ({ context }: Asked) => callsInline(context),
  inlineOvertaken: ({ context }: Asked) => callsInline(context) && bringsInterruption(context.inbox),
  roundIsDue: ({ context }: Asked) => roundIsDue(context),
  batchWaits: ({ context }: Asked) => batchWaits(context),
  lossWaits: ({ context }: Asked) => lossWaits(context),
  budgetIsReached: ({ context }: Asked) => budgetIsReached(context),
  reachesBudget: ({ context }: Asked, { tree }: { tree: TreeUse | undefined }) => reachesBudget(context, tree),
  lacksConfiguration: ({ context }: Asked) => !context.configured || context.reread,
  mayAsk: ({ context }: Asked) => mayAsk(context),
  activeCallOutstanding: ({ context }: Asked) => context.calls.some(isActive),
  passiveCallOutstanding: ({ context }: Asked) => context.calls.length > 0,
  subscriptionActive: ({ context }: Asked) => context.subscriptions.length > 0,
};

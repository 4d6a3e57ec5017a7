export { createSystem } from "./system/create.ts";
export type {
  Limits,
  System,
  SystemOptions,
  Thread,
  ThreadOptions,
  ThreadView,
} from "./system/api.ts";
export type { SliceOptions, Stepped, SteppedThread } from "./system/step/api.ts";
export type { ThreadSnapshot } from "./system/snapshot.ts";
export type { RoundSoFar } from "./thread/so-far.ts";
export type { OnModelFailure } from "./system/model-failure.ts";
export type { ThreadConfig, ThreadConfigRequest, ThreadConfigSource } from "./system/thread-config.ts";
export type { FeedItems, FeedQuery } from "./system/feed.ts";
export { defaultLimits } from "./system/limits.ts";
export {
  defineTool,
  isTool,
  type JsonSchema,
  type Producer,
  type ProducerEvent,
  type Tool,
  type ToolAnnotations,
  type ToolDefinition,
} from "./tool/define.ts";
export { type AiInput, type AiTool, type AiToolOptions, fromAiTool } from "./tool/ai-tool.ts";
export type { Question, QuestionAnswer } from "./tool/question.ts";
export type { Approval, ApprovalPolicy } from "./tool/toolset.ts";
export { type AnswerOptions, answerFor, choiceFor, oauthFor, viewFor } from "./tool/answer.ts";
export type { ResultContent } from "./tool/result.ts";
export type { Sender, ToolCall } from "./tool/call.ts";
export { eventFor, parseAddress, progressFor, resultFor } from "./tool/address.ts";
export { type SendOptions, textFor } from "./tool/text-for.ts";
export { createSender, type SenderOptions, type StoreSender } from "./queue/sender.ts";
export type { NamedThreadOptions } from "./queue/thread-spec.ts";
export { memoryStore } from "./store/memory/memory-store.ts";
export { deliveryOf } from "./store/delivery.ts";
export type {
  Acceptance,
  CommitOutcome,
  Delivery,
  LoadedThread,
  SharedStore,
  Store,
  ThreadSpec,
  ThreadSummary,
} from "./store/store.ts";
export type { Inspector } from "./thread/guarded-inspector.ts";
export type { LiveUpdate, Update, UpdateType } from "./thread/update.ts";
export type { Fact, FeedItem } from "../machines/thread/facts.ts";
export { type Envelope, type Input, roomFor, type WaitingInput } from "../machines/thread/input.ts";
export type { CallId, ThreadId } from "../machines/history/ids.ts";
export type { ContentItem, DisplaySegment, Entry, Origin, PlacedEntry } from "../machines/history/entry.ts";
export type { Choice, ChoiceAnswer, View } from "../machines/thread/choice.ts";
export type { Child, ChildKind, Opening } from "../machines/thread/family.ts";
export {
  type Call,
  newRecord,
  type Subscription,
  type ThreadCommit,
  type ThreadRecord,
  type ThreadState,
  type Timer,
} from "../machines/thread/commit.ts";
export type { Failure, Retry, Usage } from "../machines/round/turn.ts";
export type { Budget } from "../machines/thread/budget.ts";
export type { ModelOptions } from "./model/model.ts";
export type { Price, Prices } from "./model/prices.ts";
export type { ModelSettings } from "./model/settings.ts";
export { demoModel } from "./model/demo/demo-model.ts";
export { type Clock, systemClock } from "./clock.ts";
export { consoleLogger, type Logger, silentLogger } from "./logger.ts";
export {
  AddressError,
  AnswerInterruptedError,
  ChoiceClosedError,
  FeedCursorError,
  InputRefusedError,
  LeaseHeldError,
  NoSuchChoiceError,
  OptionError,
  QuestionError,
  RepeatedInputError,
  StepModeError,
  StoreClosedError,
  StoreCorruptError,
  StoreError,
  StoreFileError,
  SystemStoppedError,
  ThreadConfigError,
  ThreadQuarantinedError,
  TreeUsageError,
  ThreadExistsError,
  ThreadFailedError,
  ThreadIdError,
  ToolDefinitionError,
  ToolError,
  ToolNameError,
  TurnTooLongError,
  WakefulError,
} from "./errors.ts";
export { threadMachine } from "../machines/thread/machine.ts";
export { roundMachine } from "../machines/round/machine.ts";

import type { ContentItem, EventSource } from "./entry.ts";
import { shownIdOf } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import { says } from "./wording.ts";

/** Every sentence with which the runtime tells threads of each other. */

/** The tool that spawns a child, and the name under which a prompt shows how an event's child began. */
export const spawnTool = "spawn_thread";

const longest = 100;

/** What a model wrote as an id: quoted, cut short, never half a character. */
const quoted = (id: string): string =>
  JSON.stringify((id.length > longest ? `${id.slice(0, longest - 1)}…` : id).toWellFormed());

const most = 10;

/** At most ten of a list, and how many more there are. */
const listed = (items: readonly string[]): string =>
  items.length <= most ? items.join(", ") : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

/** `above`: the threads above the child, root first, its parent last. */
const whoYouAre = (childId: string, above: readonly string[]): string =>
  `Your thread id is ${childId}. Your full thread stack, root first, is ${JSON.stringify([...above, childId])}. ` +
  `What stands above was said in your parent, the thread ${above.at(-1)}, and is yours to know. ` +
  "Your parent goes on by itself and does not see what you do. ";

const howToEnd = (childId: string): string =>
  `When you are done, call close_thread with the thread_id ${childId}, and with report_to_parent for a last word.`;

/**
 * What a spawned child reads as the result of its own spawning call. `above`: the threads above it, root first, its parent
 * last.
 */
export const spawnSeedText = (childId: string, above: readonly string[], instructions: string): ContentItem[] =>
  says(
    `You are a child thread from here on. ${whoYouAre(childId, above)}` +
      "Your parent hears what you send with report_to_parent, and that you have closed; nothing else you write reaches it. " +
      `${howToEnd(childId)}\n\nYour instructions:\n${instructions}`,
  );

/** What an event's child reads before its event. `above`: the threads above it, root first, its parent last. */
export const eventSeedText = (childId: string, above: readonly string[], source: Pick<EventSource, "name">): string =>
  `You are a child thread from here on, opened to handle one event of ${source.name}, which follows. ` +
  whoYouAre(childId, above) +
  "It has not seen the event, and hears what you send with report_to_parent; nothing else you write reaches it, " +
  `nor that you have closed. ${howToEnd(childId)}`;

/** The arguments of the call that opens an event's child, as if its parent had spawned it. */
export const eventSeedArgs = (above: readonly string[], source: Pick<EventSource, "name">): JsonObject => ({
  instructions: `Handle the event of ${source.name} that follows.`,
  child_of: [...above],
});

/** What a parent reads as the result of a spawning call. */
export const spawnedText = (childId: string): ContentItem[] =>
  says(
    `Spawned the child thread ${childId}. It works by itself from here on; what it reports, and its end, arrive as events.`,
  );

/** In a child's own entries, for a call that it inherits and its parent waits for. */
export const elsewhereText = (): ContentItem[] =>
  says("Not known here: your parent made this call, and its result arrives there.");

/** `to`: the parent of a report, the child of a message. */
export const ackText = (what: "report" | "message", to: string): ContentItem[] =>
  says(
    what === "report"
      ? `The report was sent to your parent, the thread ${to}.`
      : `The message was sent to your child, the thread ${to}. What it reports arrives as an event.`,
  );

/** The result of the call that closes a thread. */
export const closingText = (): ContentItem[] => says("This thread closes.");

/** `shown`: the id under which the model named the subscription. */
export const cancelledText = (shown: string): ContentItem[] =>
  says(`The subscription of the call ${quoted(shown)} was cancelled: no more of its events arrive.`);

/** What a parent hears of the end of a child that it spawned; its last report, when there is one. */
export const endedText = (childId: string, report: string | null): string =>
  report === null || report.trim() === ""
    ? `The child thread ${childId} has closed, without a last report.`
    : `The child thread ${childId} has closed. Its last report:\n${report}`;

/** What a parent hears when a child's work ended in a failure for good. `message`: a sentence. */
export const failedChildText = (childId: string, message: string): string =>
  `The child thread ${childId} could not go on: ${message} It is still open; a message with send_message_to_child ` +
  "makes it try again.";

const refuses = (text: string): ContentItem[] => says(`Error: ${text}`);

/** `stack`: the caller's own, root first, itself last. */
export const wrongStackText = (stack: readonly string[]): ContentItem[] =>
  refuses(
    `child_of is not your thread stack, so no thread was spawned. Your full thread stack, root first, is ` +
      `${JSON.stringify(stack)}: if you are that thread, call again with it. If you took yourself for another one, ` +
      "do what your own instructions say.",
  );

/** `limit`: how many open children a thread may have. */
export const tooManyChildrenText = (limit: number): ContentItem[] =>
  refuses(
    `this thread has ${limit} open children, as many as it may have, so no thread was spawned. Wait for one to end, ` +
      "or tell one to close with send_message_to_child.",
  );

/** `limit`: how many levels of children there may be below a root. */
export const tooDeepText = (limit: number): ContentItem[] =>
  refuses(
    `children may be at most ${limit} levels below their root, as this thread is, so no thread was spawned. ` +
      "Do the work in this thread.",
  );

/** For a message to a thread that is no open child. `children`: the ids of those that are. */
export const notAChildText = (threadId: string, children: readonly string[]): ContentItem[] =>
  refuses(
    `${quoted(threadId)} is no open child of this thread, so the message was not sent: it was never one, or it has ` +
      `closed. ${children.length === 0 ? "This thread has no open children." : `Open children: ${listed(children)}.`}`,
  );

/** For closing another thread. `own`: the caller. */
export const notYourThreadText = (threadId: string, own: string): ContentItem[] =>
  refuses(
    `${quoted(threadId)} is not your thread, so nothing was closed. A thread can close only itself, and your thread id ` +
      `is ${own}. To end a child, ask it to close with send_message_to_child.`,
  );

export const rootClosesText = (own: string): ContentItem[] =>
  refuses(
    `${own} is a root thread, which only its owner closes. When you have nothing more to do, just answer without a call.`,
  );

export const secondCloseText = (): ContentItem[] =>
  refuses("another call of this turn closes the thread already, so this one was not carried out.");

export const noParentText = (): ContentItem[] =>
  refuses("this is a root thread without a parent, so no report was sent. Say it in your answer instead.");

/** `active`: the subscriptions of the caller. */
export const unknownSubscriptionText = (
  shown: string,
  active: readonly Pick<EventSource, "callId" | "providerCallId" | "name">[],
): ContentItem[] => {
  const ids = active.map(
    ({ callId, providerCallId, name }) => `${quoted(providerCallId || shownIdOf(callId))} (${name})`,
  );
  return refuses(
    `this thread has no active subscription under the call id ${quoted(shown)}, so nothing was cancelled: it was none, ` +
      `it has ended, or it is another thread's. ${ids.length === 0 ? "There are none here." : `Active here: ${listed(ids)}.`}`,
  );
};

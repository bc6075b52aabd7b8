import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, unfold, unseenStart } from "@palimpsest/context";
import { isSignedCompaction, openHeld, withoutReasoning } from "@palimpsest/context/internal";
import { addedIllegalities, changedCompaction, messageImage } from "@palimpsest/context/testing";
import { contextOf, type FuzzState, type FuzzWorld } from "./operation.js";
import type { ReasoningRecord } from "./reasoning-record.js";

export interface CheckedStep {
  /** The thread as it happened so far. */
  readonly thread: readonly BaseMessage[];
  /** Its messages as they were created. */
  readonly images: readonly string[];
  readonly before: readonly BaseMessage[];
  readonly state: FuzzState;
  readonly world: FuzzWorld;
  /** Where the reasoning of the thread was made. */
  readonly reasoning: ReasoningRecord;
}

/** Returns the laws that a step has broken, in words. */
export async function checkLaws(step: CheckedStep): Promise<readonly string[]> {
  const { thread, state, world } = step;
  const after = contextOf(state, world);
  return [
    ...(await lost(step, after)),
    ...(world.view && !sameList(state.messages, thread) ? ["law 1: the thread of a view was changed"] : []),
    ...illegal(step, after).map((one) => `law 3: ${one}`),
    ...(await grown(step, after)),
    ...hiddenUnseen(thread, after),
    ...missingWords(thread, after),
    ...changedCompaction(step.before, after).map(
      (name) => `law 3: the compaction ${name} of the provider was changed`,
    ),
    ...step.reasoning.stale(after).map((id) => `law 13: the reasoning of ${id} was made on another prefix`),
  ];
}

async function lost(
  { thread, images, world: { files, threadId } }: CheckedStep,
  after: readonly BaseMessage[],
): Promise<readonly string[]> {
  const { archive } = files.thread(threadId);
  try {
    const opened = await unfold(after, (path) => archive.readText(path));
    const at = thread.findIndex((message, index) => {
      const back = opened[index];
      return back === undefined || (back !== message && messageImage(back) !== images[index]);
    });
    if (at >= 0) return [`law 1: message ${at} came back as ${imageOf(opened[at])}, and was ${images[at]}`];
    const more = opened.length - thread.length;
    return more === 0 ? [] : [`law 1: ${more} messages too many came back`];
  } catch (error) {
    return [`law 2: an original cannot be read: ${String(error)}`];
  }
}

function imageOf(message: BaseMessage | undefined): string {
  return message === undefined ? "nothing" : messageImage(message);
}

/** Returns the provider rules that the context breaks and the thread does not. */
function illegal({ thread, before }: CheckedStep, after: readonly BaseMessage[]): readonly string[] {
  const added = addedIllegalities(before, after);
  if (added.length === 0) return added;
  const inThread = new Set(addedIllegalities(thread, after));
  return added.filter((one) => inThread.has(one));
}

/**
 * No operation makes a context larger than it is with the originals that are held while the archive fails. A reply that was
 * nothing but reasoning gets a placeholder for it, because providers refuse an empty message, and reasoning beside the content
 * is not counted.
 */
async function grown({ before }: CheckedStep, after: readonly BaseMessage[]): Promise<readonly string[]> {
  const lists = [before, await openHeld(before)];
  const from = Math.max(...lists.map((list) => estimateTokens(list.map(longestForm))));
  const to = estimateTokens(after);
  return to <= from ? [] : [`law 4: the context went from ${from} to ${to} tokens`];
}

function longestForm(message: BaseMessage): BaseMessage {
  const shorter = withoutReasoning(message);
  return estimateTokens([shorter]) > estimateTokens([message]) ? shorter : message;
}

/**
 * What the model has not been shown stays, whole or as a preview. Its own messages it has seen: one may be folded already
 * when a late result of another comes.
 */
function hiddenUnseen(thread: readonly BaseMessage[], after: readonly BaseMessage[]): readonly string[] {
  const ids = new Set(after.map(({ id }) => id));
  return thread
    .slice(unseenStart(thread))
    .filter((message) => message.getType() !== "ai" && !ids.has(message.id))
    .map(({ id }) => `law 6: message ${id ?? "?"} was folded before the model had seen it`);
}

/**
 * The first and the latest user message stay verbatim, or as a preview of a text that is too large. A signed compaction of
 * the provider stands for those before it: nothing may precede it.
 */
function missingWords(thread: readonly BaseMessage[], after: readonly BaseMessage[]): readonly string[] {
  const start = thread.findLastIndex(isSignedCompaction) + 1;
  const users = thread.slice(start).filter((message) => message.getType() === "human");
  return [start > 0 ? undefined : users.at(0), users.at(-1)].flatMap((user) => {
    if (user === undefined) return [];
    const here = after.find(({ id }) => id === user.id);
    const kept = here !== undefined && (foldOf(here)?.kind === "offload" || here.text === user.text);
    return kept ? [] : [`law 7: the user's message ${user.id ?? "?"} is not in the context`];
  });
}

function sameList(one: readonly BaseMessage[], other: readonly BaseMessage[]): boolean {
  return one.length === other.length && one.every((message, index) => message === other[index]);
}

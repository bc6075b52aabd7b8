import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, withIds, type Rewrite } from "@palimpsest/context";
import {
  changedFrom,
  foldsIn,
  hasBoundReasoning,
  hasReasoning,
  isLostStandIn,
  nativeStart,
  openHeld,
  reconcile,
  staleStart,
} from "@palimpsest/context/internal";
import { withMarks, type SentPrefix } from "../epochs/sent-prefix.js";
import { countAhead } from "../options/counted-ahead.js";
import { commitRewrite, writeArchive } from "./commit.js";
import { reportCounter, reportFailure } from "./error-policy.js";
import { reportNative } from "./reporter.js";
import { sealFolds } from "./sealed-folds.js";
import type { Step, StepOptions } from "./step.js";

/** How the context was opened. */
export interface Opened {
  /** The context as it was sent, without stale reasoning. */
  readonly sent: readonly BaseMessage[];
  /** Marks that are valid for `sent`; undefined where the prefix is not recorded. */
  readonly prefix: SentPrefix | "unrecorded" | undefined;
  /** Held originals are back in their places. */
  readonly isHeld: boolean;
}

/**
 * Opens the context of a step: forged folds become messages, reasoning that the host has made stale leaves, held originals return,
 * and what a summary covers goes.
 */
export async function openContext<Options extends StepOptions>(step: Step<Options>): Promise<Opened> {
  step.settle(await step.admit(step.messages));
  const prefix = await dropEdited(step);
  if (step.isEdited) reportOthers(step);
  if (step.input.mayExceedReport === true) doubtReports(step);
  const sent = step.messages;
  // Hot path: most steps of a short thread have no fold, and nothing to open.
  const isHeld = foldsIn(sent).length > 0 && (await openFolded(step));
  const failure = await countAhead(step.options.tokenCounter, step.messages);
  if (failure !== undefined) reportCounter(failure, step);
  if (!step.overflow && step.input.isBetweenRuns !== true) reportNative(step.messages, step.report);
  return { sent, prefix, isHeld };
}

/**
 * Tells of middleware that works against this one: it makes another message of a stand-in, such as `piiMiddleware`, so that its words are
 * the host's and no later summary takes its place, or it deletes messages for a summary of its own.
 */
function reportOthers<Options extends StepOptions>({ messages, report }: Step<Options>): void {
  const lost = messages.findLast(isLostStandIn);
  if (lost !== undefined) {
    const message =
      `Other middleware or the host has made a new message of the stand-in ${lost.id}, without its fold: it counts as a message of ` +
      "the user. Let it leave stand-ins as they are, or pass keepThread: true, with which the messages of the state have none";
    report.fail("wiring", new Error(message));
  } else if (messages.some(isForeignSummary)) {
    const message =
      "Other middleware has put a summary of its own in place of messages, which are now neither in the state nor in the archive. " +
      "Remove it: summarizationMiddleware has no place beside this one";
    report.fail("wiring", new Error(message));
  }
}

/** Returns true for a summary of langchain's own middleware: a stand-in, also one that counts as forged, has its fold beside the source. */
function isForeignSummary({ additional_kwargs: kwargs }: BaseMessage): boolean {
  return kwargs["lc_source"] === "summarization" && Object.keys(kwargs).length === 1;
}

/** Notes that reported usage is that of a shorter context, and lets the state remember the context as it is now. */
function doubtReports<Options extends StepOptions>(step: Step<Options>): void {
  step.isEdited = true;
  step.noteOpening("editedAt");
  if (step.input.thread !== undefined) step.settle([...step.messages]);
}

/** Puts held originals back, and removes what a summary covers. Returns whether there were originals. */
async function openFolded<Options extends StepOptions>(step: Step<Options>): Promise<boolean> {
  const sent = step.messages;
  const held = await openHeld(sent, step.read);
  const isHeld = held !== sent;
  if (isHeld) await openOriginals(step, held);
  if (isHeld) step.noteOpening("unfoldedAt");
  const messages = await reconcile(step.messages, step.read);
  // Should the step fail, the context holds its originals as before.
  if (!isHeld) step.settle(messages);
  step.messages = messages;
  step.whole = messages;
  return isHeld;
}

/**
 * Removes the reasoning behind what the host has changed since it was sent. Returns the marks that are still valid, and
 * "unrecorded" if the graph has no channel for them or the reasoning could not be archived.
 */
async function dropEdited<Options extends StepOptions>(step: Step<Options>): Promise<Opened["prefix"]> {
  const { state, isReframed = false } = step.input;
  const { sent = step.messages } = step.input;
  if (state === undefined) return "unrecorded";
  const known = state.prefix;
  if (known === undefined) return undefined;
  const changed = changedFrom(sent, known.marks);
  const from = isReframed ? 0 : changed;
  if (from === undefined) return known;
  step.isEdited = true;
  if (changed !== undefined) step.noteOpening("editedAt");
  const prefix = withMarks(known, from);
  // A provider's compaction stays as it is: it is the prefix of everything after it.
  const start = staleStart(sent, Math.max(from, nativeStart(sent) + 1));
  if (start < 0) return prefix;
  const stale = sent.slice(start).filter(hasReasoning);
  const messages = step.nameMessages();
  const isOwn = step.input.sent === undefined;
  const ids = new Set(stale.map(({ id }) => id));
  const rewrite = step.withoutReasoning(messages, {
    isStale: ({ id }, index) => (isOwn ? index >= start : id !== undefined && ids.has(id)),
  });
  const committed = await commitRewrite(rewrite, "edit", step);
  if (committed === undefined) {
    step.settle(messages);
    return "unrecorded";
  }
  step.settle(committed.messages);
  return prefix;
}

/**
 * Puts held originals back in their places, so that this step archives them first, without the reasoning that was made after
 * their short form.
 */
async function openOriginals<Options extends StepOptions>(
  step: Step<Options>,
  held: readonly BaseMessage[],
): Promise<void> {
  const admitted = step.messages;
  step.isDown = !(await isBack(admitted, step));
  // Folds inside a held record are genuine, as the seal of its stand-in proves.
  step.messages = (await sealFolds({ messages: held, folds: [] }, step.seal, step)).messages;
  const rewrite = withoutShortReasoning(admitted, step);
  if (rewrite === undefined) return;
  const committed = await commitRewrite(rewrite, "edit", step);
  if (committed !== undefined) step.messages = committed.messages;
  // The end of the step holds the reasoning in state.
  else step.isDown = true;
}

/**
 * Removes the reasoning from the first held original on, because some of it was made after the short form; undefined if there
 * is none.
 */
export function withoutShortReasoning<Options extends StepOptions>(
  admitted: readonly BaseMessage[],
  step: Step<Options>,
): Rewrite | undefined {
  const { messages } = step;
  const from = admitted.findIndex((message) => foldOf(message)?.held !== undefined);
  const start = Math.max(from, nativeStart(messages) + 1);
  if (!messages.slice(start).some(hasBoundReasoning)) return undefined;
  return step.withoutReasoning(withIds(messages), { isStale: (_, index) => index >= start });
}

/** Tries to archive one of the held originals, once, so that a step does not wait during a long outage. */
async function isBack<Options extends StepOptions>(
  messages: readonly BaseMessage[],
  step: Step<Options>,
): Promise<boolean> {
  const held = messages.flatMap((message) => foldOf(message)?.held ?? []);
  try {
    await writeArchive(held.slice(0, 1), step.archive, []);
    return true;
  } catch (error) {
    reportFailure(error, step, { rung: "archive" });
    return false;
  }
}

import { foldOf } from "@palimpsest/context";
import { isAi, usageOf } from "@palimpsest/context/internal";
import type { Step } from "../run/step.js";
import { compactionDue, type CompactionDue } from "./compaction-due.js";

/**
 * Reports that the model was called past the node: what its newest call was sent was due for a compaction, and none was made
 * or refused there. An edge that leads around the node is silent otherwise, until the provider refuses a prompt.
 *
 * A message without a report of usage, where others have one, is no call of the model: a client has added it, with calls of its own.
 * Looks only where the node has folded before, so that a history from elsewhere is no finding, and only when a compaction is
 * due, which folds what tells of it. After a refusal, such as that of a system message over the trigger, nothing tells of it.
 */
export function reportBypass(step: Step, due: CompactionDue): void {
  const { input, options, messages, known, report } = step;
  if (!isByTrigger(due) || !tells(step)) return;
  const newestCall = messages.findLastIndex(isAi);
  if (usageOf(messages[newestCall]) === undefined && messages.some(usageOf)) return;
  const sent = messages.slice(0, newestCall);
  const folds = sent.flatMap((message) => foldOf(message) ?? []);
  const newest = sent.at(-1)?.id;
  if (folds.length === 0 || folds.some((fold) => fold.newest === newest)) return;
  const before = compactionDue(sent, options, input.state === undefined ? undefined : known);
  if (!isByTrigger(before)) return;
  const message =
    `The model was called with a prompt of about ${before.measure().tokens} tokens, which meets the trigger, and this node did ` +
    "not run before that call. Lead each edge to the model through it, also the one from the tools, or take " +
    "withCompaction(callModel, options) in its place";
  report.fail("wiring", new Error(message));
}

/** Returns whether the context shows which calls the node ran before. */
function tells({ input, known, isVaried, isEdited }: Step): boolean {
  if (input.isAtCall === true || input.isBetweenRuns === true || isVaried || isEdited) return false;
  return known?.refusedAt === undefined || known.refusedAt === 0;
}

function isByTrigger({ reason }: CompactionDue): boolean {
  return reason === "trigger" || reason === "safety-net";
}

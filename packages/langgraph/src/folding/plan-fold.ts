import type { BaseMessage } from "@langchain/core/messages";
import { type ArchiveWrite } from "@palimpsest/context";
import {
  keptIds,
  layOutBlocks,
  soughtWords,
  stalledSteps,
  waitingUnits,
  workspaceOf,
} from "@palimpsest/context/folding";
import { applyDirectives } from "./apply-directives.js";
import type { PlanFoldOptions } from "./fold-options.js";
import { FoldRun, type MadeFold } from "./fold-run.js";
import { relievePressure } from "./relieve-pressure.js";

/** What folding would make of a context. Nothing has been written yet. */
interface FoldPlan {
  /** The very array that came in when nothing would change. */
  readonly messages: readonly BaseMessage[];
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly MadeFold[];
  /** Why the directive of the latest interaction was not followed. */
  readonly refusal?: string | undefined;
  /** Id of the model's message whose directive was looked at. */
  readonly directedBy?: string | undefined;
}

/** Returns the context with its past as blocks. Changes nothing; reads the records of blocks that are merged. */
export async function planFold(
  messages: readonly BaseMessage[],
  planning: PlanFoldOptions,
): Promise<FoldPlan> {
  const { options, read, goals, writer } = planning;
  const { units, past, latest, step } = workspaceOf(messages);
  const making = {
    tokenCounter: options.tokenCounter,
    kept: keptIds(units, options),
    newest: messages.at(-1)?.id,
    sought: soughtWords(goals.at(-1)?.text ?? ""),
  };
  const run = new FoldRun({ units: past, making, waiting: waitingUnits(units), options, read, writer });
  const directed = await applyDirectives(run, { ...planning, latest, step });
  const stalled = stalledSteps(run.units);
  const isFolded = run.folds.length > 0;
  await relievePressure(run, { ...planning, step });
  const { refusal, directedBy } = directed;
  if (run.folds.length === 0) return { messages, writes: [], folds: [], refusal, directedBy };
  const advice =
    isFolded && stalled > 0 && stalled % options.deadEndSteps === 0 ? adviceFor(stalled, step) : undefined;
  const words = [directed.word, advice].filter((word) => word !== undefined);
  const word = words.length === 0 ? undefined : words.join(" ");
  return {
    messages: [...layOutBlocks(run.units, { goals, word }), ...latest],
    writes: run.writes,
    folds: run.folds,
    refusal,
    directedBy,
  };
}

function adviceFor(stalled: number, step: number): string {
  return (
    `The last ${stalled} steps brought nothing new. Fold steps ${step - stalled}-${step - 1} into one summary of what ` +
    `was tried and why it failed, and take another way.`
  );
}

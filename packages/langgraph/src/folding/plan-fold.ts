import type { BaseMessage } from "@langchain/core/messages";
import type { ArchiveWrite, Fold } from "@palimpsest/context";
import {
  keptIds,
  layOutBlocks,
  goalWordsOf,
  stalledSteps,
  waitingUnits,
  workspaceOf,
  type BlockOptions,
  type Workspace,
} from "@palimpsest/context/folding";
import { promotedIds } from "../compaction/pins.js";
import { applyDirectives } from "./apply-directives.js";
import type { PlanFoldOptions, ResolvedFoldOptions } from "./fold-options.js";
import { FoldRun } from "./fold-run.js";
import { relievePressure } from "./relieve-pressure.js";

/** Characters of the plan for each token that the blocks may have: about an eighth of them. */
const planShare = 0.5;

/** The result of folding a context, before anything is written. */
interface FoldPlan {
  /** The input array itself if nothing changes. */
  readonly messages: readonly BaseMessage[];
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
  /** Why the newest directive was refused. */
  readonly refusal?: string | undefined;
  /** Id of the AI message whose directive was read. */
  readonly directedBy?: string | undefined;
}

/** Returns the context with its past as blocks. Writes nothing; reads the records of merged blocks. */
export async function planFold(
  messages: readonly BaseMessage[],
  planning: PlanFoldOptions,
): Promise<FoldPlan> {
  const { options, read, goals, writer } = planning;
  const workspace = workspaceOf(messages);
  const { units, head, past, latest, step } = workspace;
  const run = new FoldRun({
    units: past,
    lastId: Math.max(0, ...units.flatMap(({ block }) => block?.id ?? [])),
    blockOptions: blockOptionsOf(messages, workspace, planning),
    waiting: waitingUnits(units),
    options,
    read,
    writer,
  });
  const directed = await applyDirectives(run, { ...planning, latest, step });
  const stalled = stalledSteps(run.units);
  const isFolded = run.folds.length > 0;
  await relievePressure(run, { ...planning, step });
  const { refusal, directedBy } = directed;
  if (run.folds.length === 0) return { messages, writes: [], folds: [], refusal, directedBy };
  const advice =
    isFolded && stalled > 0 && stalled % options.deadEndSteps === 0 ? adviceFor(stalled, step) : undefined;
  const notes = [directed.note, advice].filter((note) => note !== undefined);
  const word = notes.length === 0 ? undefined : notes.join(" ");
  return {
    messages: [
      ...head.flatMap((unit) => unit.messages),
      ...layOutBlocks(run.units, { goals, word, planCharacters: options.blockTokens * planShare }),
      ...latest,
    ],
    writes: run.writes,
    folds: run.folds,
    refusal,
    directedBy,
  };
}

function blockOptionsOf(
  messages: readonly BaseMessage[],
  workspace: Workspace,
  { options, goals }: PlanFoldOptions,
): BlockOptions {
  const { tokenCounter, lane, userLineTokens } = options;
  return {
    tokenCounter,
    lane,
    kept: keptOf(messages, workspace, options),
    newest: messages.at(-1)?.id,
    userLineTokens,
    goalWords: goalWordsOf(goals.at(-1)?.text ?? ""),
  };
}

/**
 * Returns the ids of the messages that blocks leave in the context: the user's words, pins, and the interactions with what
 * `importance` and `markers` promote, the newest first within `verbatimTokens`.
 */
function keptOf(
  messages: readonly BaseMessage[],
  { units, past, latest }: Workspace,
  options: ResolvedFoldOptions,
): ReadonlySet<string> {
  const promoted = promotedIds(messages, options, messages.length - latest.length);
  const whole = new Set<string>();
  let left = promoted.size === 0 ? 0 : options.verbatimTokens;
  for (const unit of past.toReversed()) {
    const ids = unit.messages.flatMap(({ id }) => id ?? []);
    if (left <= 0 || unit.kind !== "raw" || !ids.some((id) => promoted.has(id))) continue;
    const tokens = options.tokenCounter(unit.messages);
    if (tokens > left) continue;
    left -= tokens;
    for (const id of ids) whole.add(id);
  }
  const pin = (message: BaseMessage) => whole.has(message.id ?? "") || options.pin?.(message) === true;
  return keptIds(units, { ...options, pin });
}

function adviceFor(stalled: number, step: number): string {
  return (
    `The last ${stalled} steps brought nothing new. Fold steps ${step - stalled}-${step - 1} into one summary of what ` +
    `was tried and why it failed, and take another way.`
  );
}

import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold } from "@palimpsest/context";
import { type PaceFacts } from "@palimpsest/context/internal";
import { paceLevel, type PaceLevel, type PaceRating, type WholeReason } from "@palimpsest/context/selection";
import type { Reporter } from "../../run/reporter.js";
import type { ResolvedPredictive } from "../predictive-options.js";
import type { ThreadMemory } from "../memory/thread-memory.js";
import { paceOf, ratePast } from "./rate-past.js";

/** The facts of one step in a selection by PACE. */
export interface ExplainedPace {
  /** Cosine similarity of the step and the query. */
  readonly similarity: number;
  /** Relative weight; 1 is the average of all past steps. */
  readonly weight: number;
  /** Pressure P_t, from 0 to 1. */
  readonly pressure: number;
  /** Relative weights above which a step is brief, detailed or full, at this pressure, raised to fit the budget. */
  readonly thresholds: PaceFacts["thresholds"];
  /** Factor by which the thresholds rose to fit the budget; 1 if the published levels fit. */
  readonly raised: number;
}

export interface ExplainPaceOptions {
  readonly memory: ThreadMemory;
  readonly thread: readonly BaseMessage[];
  readonly context: readonly BaseMessage[];
  readonly options: ResolvedPredictive;
  readonly threadId: string;
  readonly signal?: AbortSignal | undefined;
}

/** How a step is shown in a context that PACE selected. */
export interface PaceStep {
  readonly step: number;
  readonly level: "whole" | PaceLevel;
  readonly reason: string;
  /** Absent for a step that was sent whole, or came after the selection. */
  readonly pace?: ExplainedPace;
  /** Why a selection sent it whole; `reason` is then empty. */
  readonly whole?: WholeReason | undefined;
}

/** Returns the newest fold with facts of PACE; undefined where another policy selected the context. */
export function paceFoldOf(
  context: readonly BaseMessage[],
): (Fold & { readonly pace: PaceFacts }) | undefined {
  const fold = context.map((message) => foldOf(message)).findLast((one) => one?.pace !== undefined);
  return fold?.pace === undefined ? undefined : { ...fold, pace: fold.pace };
}

/**
 * Returns how each step of a thread is shown in a context that PACE selected, and why.
 *
 * Levels, pressure and thresholds are those of the selection. Weights are recomputed from the stored vectors and the query of
 * that selection, which is encoded once more; if the encoder does not answer, they come from hashed words.
 */
export async function explainPace(fold: Fold & { readonly pace: PaceFacts }, facts: ExplainPaceOptions) {
  const { memory, thread, context, options, threadId, signal } = facts;
  const at = thread.findIndex(({ id }) => id !== undefined && id === fold.newest);
  memory.append(thread.slice(0, at < 0 ? thread.length : at + 1));
  const selected = memory.index.chunks.length;
  const sent = new Set(context.map(({ id }) => id));
  const isSent = (step: number) => memory.firstIdOf(step) !== undefined && sent.has(memory.firstIdOf(step));
  const past: number[] = [];
  for (let step = paceOf(memory).first; step < selected; step++) if (!isSent(step)) past.push(step);
  const { wholeSteps } = options;
  const rating = { options, wholeSteps, report: silent(threadId), signal, tokens: 0, encodesSteps: false };
  const { ratings } = await ratePast(memory, past, rating);
  const byStep = new Map(past.map((step, place) => [step, ratings[place]]));
  const reasons = new Map(
    memory.index.chunks.map(({ index }) => [index, wholeReason(memory, index, wholeSteps)]),
  );
  if (at >= 0) memory.append(thread.slice(at + 1));
  const levels = levelsIn(context);
  return memory.index.chunks.map(({ index: step }): PaceStep => {
    if (step >= selected) {
      const reason = "It came after the last selection, which stays until the next step.";
      return { step, level: "whole", reason };
    }
    if (isSent(step)) return { step, level: "whole", reason: "", whole: reasons.get(step) };
    const level = levels.get(step) ?? "placeholder";
    const rated = byStep.get(step);
    if (rated === undefined) {
      const reason = `It is older than the newest ${options.candidateSteps} steps (candidateSteps).`;
      return { step, level, reason };
    }
    const { similarity, relativeWeight: weight } = rated;
    return {
      step,
      level,
      reason: explain(rated, level, fold.pace),
      pace: { similarity, weight, ...fold.pace },
    };
  });
}

/** Returns why a step is sent as messages. */
function wholeReason(
  { index: { chunks, users, newestUser, pins } }: ThreadMemory,
  step: number,
  wholeSteps: number,
): WholeReason {
  if (step === users[0]?.index) return "first-user";
  if (step === newestUser?.index) return "newest-user";
  if (pins.some(({ index }) => index === step)) return "pinned";
  if (step >= chunks.length - wholeSteps) return "newest";
  return chunks[step]?.type === "human" ? "user" : "unseen";
}

function explain(
  { relativeWeight }: PaceRating,
  level: PaceLevel,
  { pressure, thresholds, raised }: PaceFacts,
) {
  const { brief, detailed, full } = thresholds;
  const weighed = paceLevel(relativeWeight, thresholds);
  const facts =
    `Its weight is ${relativeWeight.toFixed(2)} (1 is the average). At pressure ${pressure.toFixed(2)} a step is brief above ` +
    `${brief.toFixed(2)}, detailed above ${detailed.toFixed(2)}, full above ${full.toFixed(2)}`;
  const fit = raised === 1 ? "" : `, thresholds raised ${raised.toFixed(2)} times to fit the budget`;
  const ranks = ["placeholder", "brief", "detailed", "full"];
  const difference = ranks.indexOf(level) - ranks.indexOf(weighed);
  const note =
    difference === 0
      ? ""
      : difference > 0
        ? ` It is ${level}: there was room, or its ${weighed} form was not written yet.`
        : ` It is ${level}: more did not fit.`;
  return `${facts}${fit}.${note}`;
}

/** Reads the levels from the heads of the steps' texts. */
function levelsIn(context: readonly BaseMessage[]): ReadonlyMap<number, PaceLevel> {
  const texts = context.flatMap((message) => (foldOf(message)?.kind === "chunk" ? [message.text] : []));
  const heads = texts.flatMap((text) => [
    ...text.matchAll(/^\[(\d+)-[0-9a-f]{6}:1, (full|detailed|brief)\]$/gm),
  ]);
  return new Map(heads.map(([, step, level]) => [Number(step), level as PaceLevel]));
}

function ignore(): void {}

/** Returns a reporter that drops its events: an explanation sends none. */
function silent(threadId: string): Reporter {
  return { threadId, folds: ignore, fail: ignore, send: ignore };
}

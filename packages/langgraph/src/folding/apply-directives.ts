import type { BaseMessage } from "@langchain/core/messages";
import { findCutoff, foldOf } from "@palimpsest/context";
import { directiveIn, resolveTarget, textCounter, type FoldUnit } from "@palimpsest/context/folding";
import { isAi } from "@palimpsest/context/internal";
import type { PlanFoldOptions } from "./fold-options.js";
import type { FoldRun } from "./fold-run.js";
import { refusalOf } from "./refusal-of.js";

interface ApplyDirectivesOptions extends PlanFoldOptions {
  readonly latest: readonly BaseMessage[];
  /** Number of the latest interaction. */
  readonly step: number;
}

interface AppliedDirectives {
  /** Why the newest directive was refused. */
  readonly refusal?: string | undefined;
  /** The refusal to report to the model; undefined when the tool has reported it. */
  readonly note?: string | undefined;
  /** Id of the AI message whose directive was read. */
  readonly directedBy?: string | undefined;
}

/**
 * Turns the interactions that the model has seen into blocks, each as the AI message after it directs, and returns the outcome
 * of the newest directive. If a directive is refused, the interaction becomes a block of its own.
 */
export async function applyDirectives(
  run: FoldRun,
  applyOptions: ApplyDirectivesOptions,
): Promise<AppliedDirectives> {
  const { options, latest, unfoldedAt, directedBy } = applyOptions;
  const past = run.units;
  const start = firstFolded(past, unfoldedAt);
  const replies = past.map((_, index) => nextReply(past, index, latest));
  const firstInFull = firstInFullOf(past, applyOptions);
  let outcome: AppliedDirectives = {};
  for (let index = start; index < past.length; index++) {
    const unit = past[index] as FoldUnit;
    if (unit.kind !== "raw") continue;
    // Merges of earlier blocks move the unit.
    const place = run.units.indexOf(unit);
    const isNewest = !past.slice(index + 1).some(({ kind }) => kind !== "words");
    const reply = replies[index];
    const isAutomatic = options.condense === "every-step" && index < firstInFull;
    // The reply to an interaction that stays in full was read when it was new.
    const isDirected = !canStayInFull(options) || (isNewest && reply?.id !== directedBy);
    if (run.mustStay(place) || (!isAutomatic && !isDirected)) continue;
    const applied = await follow(run, place, {
      ...applyOptions,
      reply: isDirected ? reply : undefined,
      isAutomatic,
    });
    if (isNewest) outcome = applied;
  }
  return outcome;
}

/** Returns the AI message after an interaction, which holds its directive. */
function nextReply(
  past: readonly FoldUnit[],
  index: number,
  latest: readonly BaseMessage[],
): BaseMessage | undefined {
  for (let next = index + 1; next < past.length; next++) {
    const reply = past[next]?.kind === "raw" ? past[next]?.messages.find((one) => isAi(one)) : undefined;
    if (reply !== undefined) return reply;
  }
  return latest.find((message) => isAi(message));
}

interface FollowOptions extends ApplyDirectivesOptions {
  readonly reply: BaseMessage | undefined;
  /** True if the interaction becomes a block without a directive. */
  readonly isAutomatic: boolean;
}

async function follow(run: FoldRun, place: number, followOptions: FollowOptions): Promise<AppliedDirectives> {
  const { reply, options, isAutomatic } = followOptions;
  const directedBy = reply?.id;
  const directive = directiveIn(reply);
  const unit = run.units[place];
  if (directive === undefined || unit === undefined) {
    if (isAutomatic) await run.condense(place, "step");
    return { directedBy };
  }
  const until = run.units.slice(0, place + 1);
  const count = textCounter(options.tokenCounter);
  const refusal = refusalOf(directive, until, { options, count });
  if (refusal !== undefined || !("directive" in directive)) {
    if (isAutomatic) await run.condense(place, "step");
    const note = directive.by === "text" ? `Your fold directive was not followed: ${refusal}` : undefined;
    return { refusal, note, directedBy };
  }
  const { target, summary } = directive.directive;
  const range = target === undefined ? undefined : resolveTarget(until, target);
  const isDeep = range !== undefined && "from" in range && range.from < range.to;
  if (!isDeep) await run.condense(place, "agent", summary);
  else {
    if (range.to < place && isAutomatic) await run.condense(place, "step");
    await run.consolidate(range, "agent", summary);
  }
  return { directedBy };
}

/** Returns the index of the first unit after those that were unfolded by hand. */
function firstFolded(units: readonly FoldUnit[], unfoldedAt: string | undefined): number {
  if (unfoldedAt === undefined) return 0;
  return Math.max(
    0,
    units.findLastIndex(({ messages }) =>
      messages.some((one) => one.id === unfoldedAt || foldOf(one)?.covers.includes(unfoldedAt) === true),
    ),
  );
}

/** Returns whether interactions may stay in full for more than one step. */
function canStayInFull({ condense, inFull }: ApplyDirectivesOptions["options"]): boolean {
  return condense === "on-directive" || inFull !== undefined;
}

/** Returns the index of the first unit that stays in full until a directive folds it. */
function firstInFullOf(past: readonly FoldUnit[], { latest, options }: ApplyDirectivesOptions): number {
  if (options.inFull === undefined) return past.length;
  const messages = [...past.flatMap((unit) => unit.messages), ...latest];
  const cut = findCutoff(messages, { ...options, keep: options.inFull });
  let length = 0;
  const index = past.findIndex((unit) => (length += unit.messages.length) > cut);
  return index < 0 ? past.length : index;
}

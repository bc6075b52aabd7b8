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
  /** Why the directive of the latest interaction was not followed. */
  readonly refusal?: string | undefined;
  /** What the model has to be told of that: who called the tool was told by the tool. */
  readonly word?: string | undefined;
  readonly directedBy?: string | undefined;
}

/**
 * Makes the interactions that the model has seen into blocks, each as the model's next message says, and returns what
 * became of the newest directive. An invalid one costs nothing: the interaction is folded on its own.
 */
export async function applyDirectives(
  run: FoldRun,
  given: ApplyDirectivesOptions,
): Promise<AppliedDirectives> {
  const past = run.units;
  const start = firstUnopened(past, given.unfoldedAt);
  const directing = past.map((_, index) => nextReply(past, index, given.latest));
  const firstInFull = firstKept(past, given);
  let outcome: AppliedDirectives = {};
  for (let index = start; index < past.length; index++) {
    const unit = past[index] as FoldUnit;
    if (unit.kind !== "raw") continue;
    // Blocks before this one may have been merged: it is found again by itself.
    const place = run.units.indexOf(unit);
    const isNewest = !past.slice(index + 1).some(({ kind }) => kind !== "words");
    const reply = directing[index];
    const isAutomatic = given.options.condense === "every-step" && index < firstInFull;
    // What stands in full for longer has had its reply looked at when that was new.
    const isDirected = !stays(given.options) || (isNewest && reply?.id !== given.directedBy);
    if (run.isHeld(place) || (!isAutomatic && !isDirected)) continue;
    const applied = await follow(run, place, {
      ...given,
      reply: isDirected ? reply : undefined,
      isAutomatic,
    });
    if (isNewest) outcome = applied;
  }
  return outcome;
}

/** The model's next message says what becomes of an interaction. */
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

interface Following extends ApplyDirectivesOptions {
  readonly reply: BaseMessage | undefined;
  /** Whether the interaction becomes a block when nothing is said of it. */
  readonly isAutomatic: boolean;
}

async function follow(run: FoldRun, place: number, given: Following): Promise<AppliedDirectives> {
  const { reply, options, isAutomatic } = given;
  const directedBy = reply?.id;
  const asked = directiveIn(reply);
  const unit = run.units[place];
  if (asked === undefined || unit === undefined) {
    if (isAutomatic) await run.condense(place, "step");
    return { directedBy };
  }
  const until = run.units.slice(0, place + 1);
  const count = textCounter(options.tokenCounter);
  const refusal = refusalOf(asked, until, { options, count });
  if (refusal !== undefined || !("directive" in asked)) {
    if (isAutomatic) await run.condense(place, "step");
    const word = asked.by === "text" ? `Your fold directive was not followed: ${refusal}` : undefined;
    return { refusal, word, directedBy };
  }
  const { target, summary } = asked.directive;
  const runOfUnits = target === undefined ? undefined : resolveTarget(until, target);
  const isDeep = runOfUnits !== undefined && "from" in runOfUnits && runOfUnits.from < runOfUnits.to;
  if (!isDeep) await run.condense(place, "agent", summary);
  else {
    if (runOfUnits.to < place && isAutomatic) await run.condense(place, "step");
    await run.consolidate(runOfUnits, "agent", summary);
  }
  return { directedBy };
}

/** Index of the first unit that was not opened by hand. */
function firstUnopened(units: readonly FoldUnit[], unfoldedAt: string | undefined): number {
  if (unfoldedAt === undefined) return 0;
  return Math.max(
    0,
    units.findLastIndex(({ messages }) =>
      messages.some((one) => one.id === unfoldedAt || foldOf(one)?.covers.includes(unfoldedAt) === true),
    ),
  );
}

/** True when interactions may stand in full for more than one step. */
function stays({ condense, inFull }: ApplyDirectivesOptions["options"]): boolean {
  return condense === "on-directive" || inFull !== undefined;
}

/** Index of the first unit that stays in full until something is said of it. */
function firstKept(past: readonly FoldUnit[], { latest, options }: ApplyDirectivesOptions): number {
  if (options.inFull === undefined) return past.length;
  const messages = [...past.flatMap((unit) => unit.messages), ...latest];
  const cut = findCutoff(messages, { ...options, keep: options.inFull });
  let length = 0;
  const index = past.findIndex((unit) => (length += unit.messages.length) > cut);
  return index < 0 ? past.length : index;
}

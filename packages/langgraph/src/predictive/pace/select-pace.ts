import { defaults } from "@palimpsest/context";
import {
  fitRepresentations,
  groupOf,
  raiseThresholds,
  type PaceLevel,
  type RatedSteps,
} from "@palimpsest/context/selection";
import type { Archive } from "@palimpsest/vfs";
import { assembleContext, type AssembledContext, type StepChoice } from "../assemble-context.js";
import { keptText, paceOf, ratePast, type RatePastOptions } from "./rate-past.js";
import type { ReservedSteps } from "../reserved/reserve-steps.js";
import type { SelectOptions } from "../reuse/select-reuse.js";
import type { ThreadMemory } from "../memory/thread-memory.js";

interface SelectPaceOptions extends SelectOptions, RatePastOptions {
  readonly archive: Archive;
}

/** Maximum number of attempts to fit the whole context into the target. */
const maxAttempts = 8;
/** Share of the target for the user's messages other than the first and the newest. */
const userShare = 0.1;
/** Tokens of a stand-in's head: each whole message splits a run, and so adds one. */
const headTokens = 17;
/** Steps that are read from the archive at the same time. */
const readConcurrency = 16;

/**
 * Returns the context that PACE selects: each past step gets a level by its similarity to the user's messages and the newest
 * steps.
 *
 * The levels are those of the paper, which does not limit their size: if they exceed the budget, the thresholds rise until they
 * fit. A step whose shorter form is not written yet is shown in full if it fits, the heaviest first, else as a placeholder
 * (PACE, 3.2 fallback). Placeholders are shown as ranges of steps.
 */
export async function selectPace(
  memory: ThreadMemory,
  options: SelectPaceOptions,
): Promise<AssembledContext> {
  const { target, reserved, count } = options;
  const pace = paceOf(memory);
  const { must, whole } = wholeSteps(memory, options);
  const past = pastSteps(memory, { whole, reserved });
  const rated = await ratePast(memory, past, options);
  await requestForms(memory, { past, rated }, options);
  // A newest step whose tool loop does not fit as messages is shown in full as text.
  const weights = rated.ratings.map(({ relativeWeight }, at) =>
    must.has(past[at] ?? -1) ? Infinity : relativeWeight,
  );
  const tokens = past.map((step) => pace.tokensOf(step));
  const { pressure, thresholds } = rated;
  const base = { ...reservedChoice(reserved), whole };
  let limit = target - count(assembleContext(memory, base, count).messages);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { levels, raised } = fitRepresentations(weights, { thresholds, tokens, limit: Math.max(0, limit) });
    const shown = new Map<number, PaceLevel>();
    levels.forEach((level, at) => {
      if (level !== "placeholder") shown.set(past[at] ?? 0, level);
    });
    const texts = await textsOf(memory, shown, options.archive);
    const assembled = assembleContext(
      memory,
      {
        ...base,
        stepsWithText: [...shown.keys(), ...reserved.texts.keys()].sort((a, b) => a - b),
        textOf: (step) => texts.get(step) ?? base.textOf(step),
        pace: { pressure, thresholds: raiseThresholds(thresholds, raised), raised },
      },
      count,
    );
    const excess = count(assembled.messages) - target;
    if (excess <= 0) return assembled;
    if (shown.size === 0) break;
    limit = Math.min(limit, attempt + 2 < maxAttempts ? limit - Math.ceil(1.1 * excess) - 8 : 0);
  }
  return assembleContext(memory, reservedChoice(reserved), count);
}

/** Returns the choice of only the reserved steps. */
function reservedChoice({ messages, texts }: ReservedSteps): StepChoice {
  return {
    whole: messages,
    replacements: messages,
    stepsWithText: [...texts.keys()],
    textOf: (step) => texts.get(step) ?? "",
  };
}

/**
 * Returns the newest steps (`must`), and the steps that are sent as messages (`whole`): what is reserved, the newest steps that
 * fit beside it, and other messages of the user, the newest first.
 */
function wholeSteps(memory: ThreadMemory, { target, reserved, wholeSteps, count }: SelectPaceOptions) {
  const { chunks, users } = memory.index;
  const must = new Set<number>();
  const whole = new Set(reserved.messages.keys());
  let left = defaults.wholeShare * target;
  for (const messages of reserved.messages.values()) left -= count(messages);
  const take = (step: number, maxTokens: number): number => {
    const group = groupOf(memory.index, step).filter(({ index }) => !whole.has(index));
    const canBeSent = group.every(
      ({ index }) => memory.messagesOf(index) !== undefined && !reserved.texts.has(index),
    );
    const tokens = group.reduce((sum, one) => sum + one.tokens, 0);
    if (!canBeSent || tokens > Math.min(maxTokens, left)) return 0;
    left -= tokens;
    for (const { index } of group) whole.add(index);
    return tokens;
  };
  for (let step = chunks.length - 1; step >= Math.max(0, chunks.length - wholeSteps); step--) {
    if (reserved.texts.has(step)) continue;
    must.add(step);
    take(step, Infinity);
  }
  let userTokens = userShare * target;
  for (const { index } of users.toReversed()) {
    const tokens = take(index, userTokens - headTokens);
    if (tokens > 0) userTokens -= tokens + headTokens;
  }
  return { must, whole };
}

interface SentSteps {
  readonly whole: ReadonlySet<number>;
  readonly reserved: ReservedSteps;
}

/** Returns the steps that get a level, oldest first: those that are not sent as messages. */
function pastSteps(memory: ThreadMemory, { whole, reserved }: SentSteps): readonly number[] {
  const past: number[] = [];
  for (let step = paceOf(memory).first; step < memory.index.chunks.length; step++)
    if (!whole.has(step) && !reserved.texts.has(step)) past.push(step);
  return past;
}

/** Starts writing the missing shorter forms of past steps. */
async function requestForms(
  memory: ThreadMemory,
  { past, rated }: { readonly past: readonly number[]; readonly rated: RatedSteps },
  { options, archive, report, signal, count }: SelectPaceOptions,
): Promise<void> {
  if (options.model === undefined) return;
  const { representations } = paceOf(memory);
  const weights = new Map(past.map((step, at) => [step, rated.ratings[at]?.relativeWeight ?? 0]));
  const weightOf = (step: number) => weights.get(step);
  const textPathOf = (step: number) => memory.textPathOf(step);
  const request = { ...options, archive, report, signal, count, weightOf, textPathOf, model: options.model };
  await representations.load(request);
  representations.request(request);
}

/** Returns the text of each step at its level, with its head. */
async function textsOf(
  memory: ThreadMemory,
  shown: ReadonlyMap<number, PaceLevel>,
  archive: Archive,
): Promise<ReadonlyMap<number, string>> {
  const pace = paceOf(memory);
  const texts = new Map<number, string>();
  const unread: number[] = [];
  for (const [step, level] of shown) {
    const forms = level === "full" || level === "placeholder" ? undefined : pace.formsOf(step)?.[level];
    const kept = memory.keptMessagesOf(step);
    const text = forms?.text ?? (kept.length > 0 ? keptText(kept) : pace.readTexts.get(step));
    if (text === undefined) unread.push(step);
    else texts.set(step, `${headOf(memory, step, forms === undefined ? "full" : level)}\n${text}`);
    if (forms === undefined && kept.length === 0 && text !== undefined) continue;
    pace.readTexts.delete(step);
  }
  for (const step of pace.readTexts.keys()) if (!shown.has(step)) pace.readTexts.delete(step);
  for (let at = 0; at < unread.length; at += readConcurrency) {
    const read = async (step: number) => {
      const text = await archive.readText(memory.textPathOf(step));
      pace.readTexts.set(step, text);
      texts.set(step, `${headOf(memory, step, "full")}\n${text}`);
    };
    await Promise.all(unread.slice(at, at + readConcurrency).map(read));
  }
  return texts;
}

function headOf(memory: ThreadMemory, step: number, level: PaceLevel): string {
  return `[${memory.entryOf(step)?.name ?? step}:1, ${level}]`;
}

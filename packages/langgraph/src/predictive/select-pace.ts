import {
  assemblePace,
  groupOf,
  hashVector,
  linesText,
  paceDefaults,
  paceQuery,
  selectRepresentations,
  type AssembledStep,
  type PaceChunk,
  type PaceRating,
} from "@palimpsest/context";
import type { Archive } from "@palimpsest/vfs";
import type { Reporter } from "../edge/reporter.js";
import { assembleContext, type AssembledContext, type StepChoice } from "./assemble-context.js";
import { encodeTexts } from "./encode-texts.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import type { ReservedSteps } from "./reserved/reserve-steps.js";
import type { SelectStepsOptions } from "./select-steps.js";
import type { ThreadMemory } from "./thread-memory.js";

interface SelectPaceOptions extends SelectStepsOptions {
  readonly options: ResolvedPredictive;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  readonly archive: Archive;
  /** Of the context of the step before. */
  readonly tokens: number;
}

const tries = 24;

/**
 * Returns the context by PACE: a level for each past step from its similarity to the goal and the newest steps.
 *
 * The levels are those of the paper. Where they come to more than the budget, which the paper does not bound, the steps of
 * the lowest relative weight lose a level each until they fit; runs of placeholders are one range in any case.
 */
export async function selectPace(
  memory: ThreadMemory,
  options: SelectPaceOptions,
): Promise<AssembledContext> {
  const { target: budget, reserved, count } = options;
  const { chunks } = memory.index;
  const { whole, sendable } = newestSteps(memory, options);
  const isPast = (step: number) => !sendable.has(step) && !reserved.texts.has(step);
  const past = chunks.map(({ index }) => index).filter(isPast);
  const rated = await rate(memory, past, options);
  // What must stay whole and cannot be parted from its loop is shown whole as a text.
  const ratings = rated.map((one, at): PaceRating =>
    whole.has(past[at] ?? -1) ? { ...one, level: "full", relativeWeight: Infinity } : one,
  );
  const stored = storedChunks(memory, past, options);
  const order = ratings
    .map((_, at) => at)
    .sort((a, b) => (ratings[a]?.relativeWeight ?? 0) - (ratings[b]?.relativeWeight ?? 0));
  let demoted = 0;
  for (let attempt = 0; attempt < tries; attempt++) {
    const levels = demote(ratings, order, demoted);
    const told = new Map(assemble(stored, levels, budget).map((one, at) => [past[at] ?? 0, one]));
    const assembled = assembleContext(
      memory,
      {
        whole: sendable,
        sent: reserved.messages,
        told: [...told]
          .filter(([, { level }]) => level !== "placeholder")
          .map(([step]) => step)
          .concat([...reserved.texts.keys()])
          .sort((a, b) => a - b),
        textOf: (step) => reserved.texts.get(step) ?? textOf(memory, step, told.get(step)),
      },
      count,
    );
    if (count(assembled.messages) <= budget) return assembled;
    demoted += Math.max(1, Math.ceil((3 * order.length) / (tries - 1)));
  }
  return assembleContext(memory, reservedChoice(reserved), count);
}

/** The choice of nothing but what is reserved. */
function reservedChoice({ messages, texts }: ReservedSteps): StepChoice {
  return {
    whole: messages,
    sent: messages,
    told: [...texts.keys()],
    textOf: (step) => texts.get(step) ?? "",
  };
}

/** Share of the budget that the newest steps may fill up with what is reserved; the others lose levels like old steps. */
const wholeShare = 0.85;

/** The newest steps, and those steps that are sent as messages: what is reserved, and of the newest what fits beside it. */
function newestSteps(memory: ThreadMemory, { target, reserved, wholeSteps, count }: SelectPaceOptions) {
  const { chunks } = memory.index;
  const whole = new Set<number>();
  const sendable = new Set(reserved.messages.keys());
  let left = wholeShare * target;
  for (const messages of reserved.messages.values()) left -= count(messages);
  for (let step = chunks.length - 1; step >= Math.max(0, chunks.length - wholeSteps); step--) {
    if (reserved.texts.has(step)) continue;
    whole.add(step);
    const group = groupOf(memory.index, step).filter(({ index }) => !sendable.has(index));
    const canStand = group.every(
      ({ index }) => memory.messagesOf(index) !== undefined && !reserved.texts.has(index),
    );
    const tokens = group.reduce((sum, one) => sum + one.tokens, 0);
    if (!canStand || tokens > left) continue;
    left -= tokens;
    for (const { index } of group) sendable.add(index);
  }
  return { whole, sendable };
}

async function rate(
  memory: ThreadMemory,
  past: readonly number[],
  options: SelectPaceOptions,
): Promise<readonly PaceRating[]> {
  const { chunks, users } = memory.index;
  const { report, signal, wholeSteps } = options;
  const { embeddings, encoderTimeoutMs = 5_000, maxSteps = 100 } = options.options;
  const text = (step: number) => wholeText(memory, step).slice(0, paceDefaults.encodedCharacters);
  const recent = chunks.slice(-wholeSteps).map(({ index }) => text(index));
  const query = paceQuery(text(users[0]?.index ?? 0), recent, paceDefaults.encodedCharacters);
  const missing = past.filter((step) => !memory.keys.has(step));
  const made = await encodeTexts([query, ...missing.map(text)], {
    embeddings,
    timeoutMs: encoderTimeoutMs,
    report,
    signal,
    size: memory.keys.get(past[0] ?? -1)?.length,
  });
  missing.forEach((step, at) => {
    const key = made?.[at + 1];
    if (key !== undefined) memory.keys.set(step, key);
  });
  const keys = past.map((step) =>
    made === undefined ? hashVector(text(step)) : (memory.keys.get(step) ?? []),
  );
  return selectRepresentations(made?.[0] ?? hashVector(query), keys, {
    ...options.options,
    step: chunks.length,
    maxSteps,
    tokens: options.tokens,
    budget: options.options.budget,
  });
}

/** The past steps with the forms that are written by now; asks for the others. */
function storedChunks(
  memory: ThreadMemory,
  past: readonly number[],
  options: SelectPaceOptions,
): readonly PaceChunk[] {
  const { model } = options.options;
  const wanted = past.map((step) => ({
    step,
    path: memory.pathOf(step),
    text: wholeText(memory, step),
  }));
  memory.representations.request(wanted, { ...options, model });
  return wanted.map(({ step, path, text }) => ({
    id: path,
    type: memory.index.chunks[step]?.type ?? "",
    t: step,
    full: text,
    ...memory.representations.formsOf({ step, path, text }, model),
    placeholder: "",
    key: memory.keys.get(step) ?? [],
  }));
}

function wholeText({ index }: ThreadMemory, step: number): string {
  const chunk = index.chunks[step];
  return chunk === undefined ? "" : linesText(chunk, 0, chunk.lines.length);
}

const lower = {
  full: "detailed",
  detailed: "brief",
  brief: "placeholder",
  placeholder: "placeholder",
} as const;

/** Takes a level from the lowest weights first, round after round. */
function demote(
  ratings: readonly PaceRating[],
  order: readonly number[],
  times: number,
): readonly PaceRating["level"][] {
  const levels = ratings.map(({ level }) => level);
  for (let time = 0; time < times; time++) {
    const at = order[time % order.length] ?? 0;
    levels[at] = lower[levels[at] ?? "placeholder"];
  }
  return levels;
}

function assemble(
  stored: readonly PaceChunk[],
  levels: readonly PaceRating["level"][],
  budget: number,
): readonly AssembledStep[] {
  const choices = stored.map((chunk, at) => ({ chunk, level: levels[at] ?? ("placeholder" as const) }));
  return assemblePace(choices, budget);
}

function textOf(memory: ThreadMemory, step: number, told: AssembledStep | undefined): string {
  return told === undefined ? "" : `[${memory.placeOf(step)?.name ?? step}:1]\n${told.text}`;
}

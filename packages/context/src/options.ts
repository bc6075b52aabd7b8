import { ContextError } from "./context-error.js";

export interface CheckedOptions {
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep;
  readonly contextWindow?: number | undefined;
}

/**
 * Refuses a trigger, a keep or a window that cannot work, before anything runs with it.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function checkOptions({ trigger, keep, contextWindow }: CheckedOptions): void {
  if (contextWindow !== undefined) requirePositive("contextWindow", contextWindow);
  checkTrigger("trigger", trigger, contextWindow);
  checkLimits("keep", keep, contextWindow);
  checkKeepLess("tokens", keepTokens(keep, contextWindow), triggerTokens(trigger, contextWindow));
  // Only a trigger that looks at messages alone can be met by fewer messages than are kept.
  const byMessages = asTriggers(trigger).filter(({ tokens, fraction }) => (tokens ?? fraction) === undefined);
  const lowest = Math.min(...byMessages.map(({ messages = Infinity }) => messages));
  checkKeepLess("messages", keep.messages, lowest);
}

/** Refuses a trigger that cannot work. @throws ContextError `bad-option` or `unknown-window` */
export function checkTrigger(
  name: string,
  trigger: Trigger | readonly Trigger[],
  contextWindow: number | undefined,
): void {
  const triggers = asTriggers(trigger);
  if (triggers.length === 0) throw bad(name, "[]", "give at least one of fraction, tokens, messages");
  for (const one of triggers) checkLimits(name, one, contextWindow);
}

function checkKeepLess(unit: string, kept: number | undefined, limit: number | undefined): void {
  if (kept === undefined || limit === undefined || kept < limit) return;
  const way = "keep less than the trigger, or compaction could never free anything";
  throw bad("keep", `${kept} ${unit} with a trigger at ${limit} ${unit}`, way);
}

interface Limits {
  readonly fraction?: number | undefined;
  readonly tokens?: number | undefined;
  readonly messages?: number | undefined;
  readonly turns?: number | undefined;
}

function checkUnits(name: string, limits: Limits): void {
  const count = Object.values(limits).filter((limit) => limit !== undefined).length;
  if (name === "keep" && count !== 1) {
    throw bad(name, JSON.stringify(limits), "give exactly one of fraction, tokens, messages, turns");
  }
  if (count === 0) throw bad(name, JSON.stringify(limits), "give at least one of fraction, tokens, messages");
}

function checkLimits(name: string, limits: Limits, contextWindow: number | undefined): void {
  const { fraction, tokens, messages, turns } = limits;
  checkUnits(name, limits);
  if (fraction !== undefined && !(Number.isFinite(fraction) && fraction > 0 && fraction <= 1)) {
    throw bad(`${name}.fraction`, shown(fraction), "use a share of the window above 0 and at most 1");
  }
  if (tokens !== undefined) requirePositive(`${name}.tokens`, tokens);
  if (messages !== undefined) requirePositive(`${name}.messages`, messages);
  if (turns !== undefined) requirePositive(`${name}.turns`, turns);
  if (fraction !== undefined && contextWindow === undefined) {
    throw new ContextError(
      "unknown-window",
      `${name}.fraction is ${fraction} of an unknown context window: pass contextWindow (tokens), ` +
        `a model whose profile has maxInputTokens, or a ${name} in tokens`,
    );
  }
}

/** Refuses a number that is not above 0 and finite. @throws ContextError `bad-option` */
export function requirePositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw bad(name, shown(value), "use a number above 0");
}

/** Refuses a number below 0, or one that is not finite. @throws ContextError `bad-option` */
export function requireNotNegative(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0)) throw bad(name, shown(value), "use a number, 0 or more");
}

/** Returns how a value stands in a message: a string in quotes, for "32000" is not a number. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function bad(name: string, value: string, way: string): ContextError {
  return new ContextError("bad-option", `${name} is ${value}: ${way}`);
}

/** Every default of this package, in one place: functions, nodes and middleware read them from here. */
export const defaults = {
  /** Tokens of a tool result over which it is offloaded (Deep Agents). */
  offloadTokens: 20_000,
  /** Share of the window that the results of one step may take together before the largest are offloaded. */
  batchFraction: 0.25,
  /** Lines of a preview (Deep Agents). */
  previewLines: 10,
  /** Characters of a preview line; longer ones are clipped. */
  previewLineLength: 200,
  /** Characters of a string argument over which an old tool call is truncated (Deep Agents). */
  inputCharacters: 2_000,
  /** Calling steps whose results are not masked (Complexity Trap, M = 10). */
  maskKeepSteps: 10,
  /** Automatic compaction (Deep Agents). */
  trigger: { fraction: 0.85 },
  /** Automatic compaction when the agent has `compress_context` (SynthOrg, recommendation 4). */
  safetyTrigger: { fraction: 0.95 },
  /** Share of the trigger below which a request of the agent is refused. */
  agentShare: 0.5,
  /** Share of the window by which each notch of a tighter budget lowers the trigger (SynthOrg, recommendation 8). */
  budgetPoints: 0.1,
  /** What a compaction leaves alone at the end of the context (Deep Agents). */
  keep: { fraction: 0.1 },
  /** Share of the trigger at or below which the ladder stops: the gap is what keeps compactions rare. */
  targetFraction: 0.7,
  /** Tokens that an agent reads once more for each compaction (evals, cost: recorded coding runs). */
  rereadTokens: 1_200,
  /** Share of the context that a compaction has to free, or it is not applied. */
  minProgress: 0.05,
  /** Tokens of folded user messages that stay verbatim, newest first, besides the first and the latest. */
  userTokens: 20_000,
  /** Share of the window that must be left beside a user message, for the work on it: a longer one cannot be sent whole. */
  userReserve: 0.1,
  /** Tokens of a user message that cannot be sent whole which stay; at most an eighth of the window. */
  userPreviewTokens: 4_000,
  /** Milliseconds that the summary model may take for one summary. */
  summaryTimeoutMs: 120_000,
  /** Tokens that a summary may take. */
  summaryTokens: 2_000,
  /** Tokens of lines that a summary shows word for word; at most a sixteenth of the window. */
  excerptTokens: 1_500,
  /** Tokens of the automatic summary of one step (folding). */
  microTokens: 65,
  /** Tokens of the automatic summary of several blocks (folding). */
  macroTokens: 160,
  /** Newest blocks that no automatic consolidation touches (folding). */
  recentBlocks: 24,
  /** Tokens that all blocks may have together (folding). */
  blockTokens: 16_000,
  /** Steps without anything new after which the model is advised to consolidate (folding). */
  deadEndSteps: 10,
  /** Tokens of old lines that excerpts are chosen from (predictive context). */
  candidateTokens: 256_000,
  /** Share of the budget that whole steps may take together (predictive context). */
  wholeShare: 0.85,
} as const;

/** When to compact. The fields of one trigger must all be met; of an array of triggers, any one. */
export interface Trigger {
  /** Share of the context window, above 0 and at most 1. */
  readonly fraction?: number;
  /** Tokens in the context. */
  readonly tokens?: number;
  /** Messages in the context. */
  readonly messages?: number;
}

/** What is measured of a context, to hold a {@link Trigger} against. */
export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens of the model's context window; needed by a `fraction`. */
  readonly contextWindow?: number | undefined;
}

/**
 * Returns whether a context is large enough to compact: `tokens >= fraction * contextWindow` and so on.
 *
 * Pure. A `fraction` without a context window is never met: refuse it when options are read, with `checkTrigger`.
 */
export function isTriggered(trigger: Trigger | readonly Trigger[], size: ContextSize): boolean {
  return asTriggers(trigger).some(({ fraction, tokens, messages }) => {
    const limits = [
      fraction === undefined ? undefined : [size.tokens, fraction * (size.contextWindow ?? Infinity)],
      tokens === undefined ? undefined : [size.tokens, tokens],
      messages === undefined ? undefined : [size.messages, messages],
    ].filter((limit) => limit !== undefined);
    return limits.length > 0 && limits.every(([value = 0, limit = Infinity]) => value >= limit);
  });
}

/** Returns the triggers as a list. */
export function asTriggers(trigger: Trigger | readonly Trigger[]): readonly Trigger[] {
  return Array.isArray(trigger) ? (trigger as readonly Trigger[]) : [trigger as Trigger];
}

/** Returns the lowest number of tokens at which a trigger can be met, or undefined where only messages count. */
export function triggerTokens(
  trigger: Trigger | readonly Trigger[],
  contextWindow: number | undefined,
): number | undefined {
  const limits = asTriggers(trigger).flatMap(({ fraction, tokens }) => {
    const parts = [
      ...(tokens === undefined ? [] : [tokens]),
      ...(fraction === undefined || contextWindow === undefined ? [] : [fraction * contextWindow]),
    ];
    return parts.length === 0 ? [] : [Math.max(...parts)];
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Returns the triggers with each limit multiplied by `share`. */
export function scaleTrigger(
  trigger: Trigger | readonly Trigger[],
  share: number,
): Trigger | readonly Trigger[] {
  return asTriggers(trigger).map((one) =>
    Object.fromEntries(Object.entries(one).map(([unit, limit]) => [unit, (limit as number) * share])),
  );
}

/**
 * Returns the triggers with what they say of tokens lowered by `points`, a share of the window; none falls below half
 * of what it was. Limits in messages stay.
 */
export function lowerTrigger(
  trigger: Trigger | readonly Trigger[],
  points: number,
  contextWindow: number,
): readonly Trigger[] {
  return asTriggers(trigger).map(({ fraction, tokens, ...rest }) => ({
    ...rest,
    ...(fraction === undefined ? {} : { fraction: Math.max(fraction / 2, fraction - points) }),
    ...(tokens === undefined ? {} : { tokens: Math.max(tokens / 2, tokens - points * contextWindow) }),
  }));
}

interface KeepUnits {
  /** At most this many tokens. */
  readonly tokens: number;
  /** At most this share of the context window, above 0 and at most 1. */
  readonly fraction: number;
  /** At least this many messages. */
  readonly messages: number;
  /** At least this many turns: messages of the model, each with its results. */
  readonly turns: number;
}

type Only<Unit extends keyof KeepUnits> = Pick<KeepUnits, Unit> & {
  readonly [Other in Exclude<keyof KeepUnits, Unit>]?: undefined;
};

/**
 * How much of the newest context a compaction leaves as it is: exactly one of `tokens`, `fraction`, `messages` and
 * `turns`, as in LangChain.
 */
export type Keep = Only<"tokens"> | Only<"fraction"> | Only<"messages"> | Only<"turns">;

/** Returns the tokens that a keep allows, or undefined when it counts messages or turns. */
export function keepTokens(
  { tokens, fraction }: Keep,
  contextWindow: number | undefined,
): number | undefined {
  return fraction === undefined ? tokens : fraction * (contextWindow ?? Infinity);
}

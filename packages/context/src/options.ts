import { ContextError } from "./context-error.js";

export interface CheckedOptions {
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep | readonly Keep[];
  readonly contextWindow?: number | undefined;
}

/**
 * Validates the trigger, the keep and the context window when options are read, before any node runs.
 *
 * @throws ContextError `bad-option` or `unknown-window`; the message names the value and the fix.
 */
export function checkOptions({ trigger, keep, contextWindow }: CheckedOptions): void {
  if (contextWindow !== undefined) requirePositive("contextWindow", contextWindow);
  checkTrigger("trigger", trigger, contextWindow);
  const keeps = asKeeps(keep);
  if (keeps.length === 0) throw bad("keep", "[]", "give at least one of fraction, tokens, messages, turns");
  // Compare message counts only for triggers that have no token limit: the others fire on tokens as well.
  const byMessages = asTriggers(trigger).filter(({ tokens, fraction }) => (tokens ?? fraction) === undefined);
  const lowest = Math.min(...byMessages.map(({ messages = Infinity }) => messages));
  for (const one of keeps) {
    checkLimits("keep", one, contextWindow);
    checkKeepLess("tokens", keepTokens(one, contextWindow), triggerTokens(trigger, contextWindow));
    checkKeepLess("messages", one.messages, lowest);
  }
}

/** Validates a trigger. @throws ContextError `bad-option` or `unknown-window` */
export function checkTrigger(
  name: string,
  trigger: Trigger | readonly Trigger[],
  contextWindow: number | undefined,
): void {
  const triggers = asTriggers(trigger);
  if (triggers.length === 0) throw bad(name, "[]", "give at least one of fraction, tokens, messages");
  for (const limits of triggers) checkLimits(name, limits, contextWindow);
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

/** Requires a finite number above 0. @throws ContextError `bad-option` */
export function requirePositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw bad(name, shown(value), "use a number above 0");
}

/** Requires a finite number of at least 0. @throws ContextError `bad-option` */
export function requireNotNegative(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0)) throw bad(name, shown(value), "use a number, 0 or more");
}

/** Formats a value for an error message. Quotes strings, so that "32000" does not look like a number. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function bad(name: string, value: string, way: string): ContextError {
  return new ContextError("bad-option", `${name} is ${value}: ${way}`);
}

/** The defaults of all options. Functions, nodes and middleware read them from here. */
export const defaults = {
  /** Tokens; a larger tool result is offloaded (Deep Agents). */
  offloadTokens: 20_000,
  /** Share of the window; when the results of one step exceed it in total, the largest are offloaded. */
  batchFraction: 0.25,
  /** Lines of a preview (Deep Agents). */
  previewLines: 10,
  /** Characters of a preview line; longer lines are clipped. */
  previewLineLength: 200,
  /** Characters; a longer string argument of an old tool call is replaced (Deep Agents). */
  inputCharacters: 2_000,
  /** Newest steps with tool calls whose results are not masked (Complexity Trap, M = 10). */
  maskKeepSteps: 10,
  /** Share of the trigger; the ladder masks the oldest results first, and no more of them than bring the context here. */
  maskTargetFraction: 0.5,
  /** Trigger of automatic compaction (Deep Agents). */
  trigger: { fraction: 0.85 },
  /** Trigger of automatic compaction when the agent has `compress_context` (SynthOrg, recommendation 4). */
  safetyTrigger: { fraction: 0.95 },
  /** Share of the trigger; below it, a compaction that the agent requests is refused. */
  agentShare: 0.5,
  /** Share of the window by which each budget level lowers the trigger (SynthOrg, recommendation 8). */
  budgetPoints: 0.1,
  /** Newest part of the context that a compaction does not change (Deep Agents). */
  keep: { fraction: 0.1 },
  /** Share of the trigger; the ladder stops at or below it. The gap to the trigger keeps compactions rare. */
  targetFraction: 0.7,
  /** Tokens that an agent reads again after each compaction (evals, cost: recorded coding runs). */
  rereadTokens: 1_200,
  /** Minimum share of the context that a compaction must free; a smaller one is not applied. */
  minProgress: 0.05,
  /** Tokens of folded user messages that stay verbatim, newest first, in addition to the first and the latest. */
  userTokens: 20_000,
  /** Tokens of lines of the other folded user messages in a summary; at most an eighth of the window. */
  userLineTokens: 3_000,
  /** Share of the window reserved for the work on a user message; a message that leaves less is shortened. */
  userReserve: 0.1,
  /** Tokens that a shortened user message keeps; at most an eighth of the window. */
  userPreviewTokens: 4_000,
  /** Timeout in milliseconds for one call of the summary model. */
  summaryTimeoutMs: 120_000,
  /** Maximum tokens of a summary. */
  summaryTokens: 2_000,
  /** Tokens of lines that a summary quotes verbatim; at most a sixteenth of the window. */
  excerptTokens: 3_000,
  /** Tokens of the automatic summary of one step (folding). */
  microTokens: 65,
  /** Tokens of the automatic summary of several blocks (folding). */
  macroTokens: 160,
  /** Newest blocks that automatic consolidation does not change (folding). */
  recentBlocks: 24,
  /** Maximum total tokens of all blocks (folding). */
  blockTokens: 16_000,
  /** Consecutive steps without new information after which the model is advised to consolidate (folding). */
  deadEndSteps: 10,
  /** Steps between two rewrites of folding and predictive context, where the model reasons. */
  reasoningEvery: 8,
  /** Tokens of old lines among which excerpts are selected (predictive context). */
  candidateTokens: 256_000,
  /** Maximum share of the budget for steps that are sent whole (predictive context). */
  wholeShare: 0.85,
} as const;

/** When to compact. All fields of one trigger must be met; one trigger of an array is enough. */
export interface Trigger {
  /** Share of the context window, above 0 and at most 1. */
  readonly fraction?: number;
  /** Tokens in the context. */
  readonly tokens?: number;
  /** Messages in the context. */
  readonly messages?: number;
}

/** The size of a context, compared with a {@link Trigger}. */
export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens of the model's context window; required for a trigger with a `fraction`. */
  readonly contextWindow?: number | undefined;
}

/**
 * Returns whether a context is large enough to compact: `tokens >= fraction * contextWindow` and so on.
 *
 * Pure. A `fraction` without a context window is never met; `checkTrigger` rejects it when options are read.
 */
export function isTriggered(trigger: Trigger | readonly Trigger[], size: ContextSize): boolean {
  const { contextWindow = Infinity } = size;
  return asTriggers(trigger).some(({ fraction, tokens, messages }) => {
    if ((fraction ?? tokens ?? messages) === undefined) return false;
    const share = fraction === undefined ? 0 : fraction * contextWindow;
    return size.tokens >= Math.max(share, tokens ?? 0) && size.messages >= (messages ?? 0);
  });
}

export function asTriggers(trigger: Trigger | readonly Trigger[]): readonly Trigger[] {
  return Array.isArray(trigger) ? (trigger as readonly Trigger[]) : [trigger as Trigger];
}

/** Returns the lowest number of tokens at which a trigger can be met, or undefined when all triggers count messages only. */
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
  return asTriggers(trigger).map((limits) =>
    Object.fromEntries(Object.entries(limits).map(([unit, limit]) => [unit, (limit as number) * share])),
  );
}

/**
 * Returns the triggers with token limits lowered by `points`, a share of the window, but to no less than half of
 * their value. Limits in messages do not change.
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
 * How much of the newest context a compaction does not change: exactly one of `tokens`, `fraction`, `messages` and
 * `turns`, as in LangChain. An array keeps what its largest member keeps.
 */
export type Keep = Only<"tokens"> | Only<"fraction"> | Only<"messages"> | Only<"turns">;

export function asKeeps(keep: Keep | readonly Keep[]): readonly Keep[] {
  return Array.isArray(keep) ? (keep as readonly Keep[]) : [keep as Keep];
}

/** Returns the maximum tokens of a keep, or undefined when it counts messages or turns. */
export function keepTokens(
  { tokens, fraction }: Keep,
  contextWindow: number | undefined,
): number | undefined {
  return fraction === undefined ? tokens : fraction * (contextWindow ?? Infinity);
}

import { defaults, type Trigger } from "@palimpsest/context";
import { requireNotNegative, requirePositive, triggerTokens } from "@palimpsest/context/internal";

/** Sizes above which a part of the context is offloaded, cut, or left to the archive. Each has a default that suits the window. */
export interface ContextLimits {
  /** Tokens of one tool result above which it is offloaded. @default 20,000 */
  readonly offload?: number;
  /** Tokens of all results of one step. @default a quarter of the window */
  readonly batch?: number;
  /** Characters above which a string argument of an old tool call is replaced by a pointer. @default 2,000 */
  readonly input?: number;
  /** Lines of a preview. @default 10 */
  readonly previewLines?: number;
  /**
   * Tokens of folded user messages that stay verbatim besides the first and the newest. @default 20,000, at most a quarter of
   * the window, less with a lower trigger
   */
  readonly userMessages?: number;
  /**
   * Tokens of the lines that a summary shows of the other folded user messages: one line for each message; over this limit the
   * oldest lines become shorter. @default 3,000, at most an eighth of the window
   */
  readonly userLines?: number;
  /**
   * Tokens of the findings in a summary, at most a tenth of the window. Each other section has a part of as many: the list of files
   * at most 3 characters for each, the index of earlier folds 1.2. The newest entries stay, the others are in the archive. A small value makes each prompt cheaper, and each summary, because the
   * summary model reads the one before. @default 2,000, less with a lower trigger
   */
  readonly summary?: number;
  /**
   * Tokens of the conversation that the summary model reads: over it, the model reads only beginning and end of the longest
   * messages. A small value makes each summary cheaper; `excerpts` still quotes names and numbers that the model does not see.
   * No effect with `summaryModel: "native"`. @default no limit
   */
  readonly summaryInput?: number;
  /** Milliseconds of one summary; afterwards the summary is extracted from the messages. @default 120,000 */
  readonly summaryMs?: number;
  /**
   * Tokens of lines that a summary quotes verbatim. @default 3,000, at most a sixteenth of the window, less with a lower
   * trigger
   */
  readonly excerpts?: number;
  /**
   * Tokens of messages that `importance` and `markers` keep, with the calls that results need. @default a twentieth of the
   * window
   */
  readonly verbatim?: number;
  /** Tokens of the calls and results that `pinFiles` keeps. @default a tenth of the window */
  readonly pinnedFiles?: number;
}

/** The limits with their defaults, by the names that the passes of `@palimpsest/context` have for them. */
export interface ResolvedLimits {
  readonly offloadTokens: number;
  readonly batchTokens: number;
  readonly inputCharacters: number;
  readonly previewLines: number;
  readonly userTokens: number;
  readonly userLineTokens: number;
  readonly summaryTokens: number;
  readonly summaryInputTokens: number;
  readonly summaryTimeoutMs: number;
  readonly excerptTokens: number;
  readonly verbatimTokens: number;
  readonly pinFileTokens: number;
}

/** Limits that may be 0, which switches off what they limit. */
const mayBeZero: ReadonlySet<keyof ContextLimits> = new Set([
  "userLines",
  "excerpts",
  "verbatim",
  "pinnedFiles",
]);

/** Refuses limits out of range. @throws ContextError `bad-option`, naming the value and the way out. */
function checkLimits(limits: ContextLimits): void {
  for (const [name, value] of Object.entries(limits) as [keyof ContextLimits, number | undefined][]) {
    if (value === undefined) continue;
    const require = mayBeZero.has(name) ? requireNotNegative : requirePositive;
    require(`limits.${name}`, value);
  }
}

interface Bounds {
  readonly window: number;
  readonly trigger: Trigger | readonly Trigger[];
}

/** The name of each limit in the passes of `@palimpsest/context`. */
const passNames = {
  offload: "offloadTokens",
  batch: "batchTokens",
  input: "inputCharacters",
  previewLines: "previewLines",
  userMessages: "userTokens",
  userLines: "userLineTokens",
  summary: "summaryTokens",
  summaryInput: "summaryInputTokens",
  summaryMs: "summaryTimeoutMs",
  excerpts: "excerptTokens",
  verbatim: "verbatimTokens",
  pinnedFiles: "pinFileTokens",
} as const satisfies Record<keyof ContextLimits, keyof ResolvedLimits>;

/** Returns limits by the names that the passes have for them. @throws ContextError `bad-option`, naming the value and the way out. */
export function namedLimits(limits: ContextLimits): Partial<ResolvedLimits> {
  checkLimits(limits);
  const given = (Object.keys(limits) as (keyof ContextLimits)[]).filter((name) => limits[name] !== undefined);
  return Object.fromEntries(given.map((name) => [passNames[name], limits[name]]));
}

/** Returns the limits with their defaults. @throws ContextError `bad-option`, naming the value and the way out. */
export function resolveLimits(limits: ContextLimits, bounds: Bounds): ResolvedLimits {
  return { ...defaultLimits(bounds), ...namedLimits(limits) };
}

/**
 * Returns the limits of a window.
 *
 * Those of what stays after a compaction are shares of the window for which the trigger would be the default. As shares of the
 * real window, they could fill the context up to a lower trigger, so that no compaction would free anything.
 */
function defaultLimits({ window, trigger }: Bounds): ResolvedLimits {
  const lowest = triggerTokens(trigger, window) ?? Infinity;
  const room = Math.min(window, Math.round(lowest / defaults.trigger.fraction));
  return {
    offloadTokens: defaults.offloadTokens,
    batchTokens: Math.floor(defaults.batchFraction * window),
    inputCharacters: defaults.inputCharacters,
    previewLines: defaults.previewLines,
    userTokens: Math.min(defaults.userTokens, Math.floor(room / 4)),
    userLineTokens: Math.min(defaults.userLineTokens, Math.floor(room / 8)),
    summaryTokens: Math.min(defaults.summaryTokens, Math.ceil(room / 10)),
    summaryInputTokens: Infinity,
    summaryTimeoutMs: defaults.summaryTimeoutMs,
    excerptTokens: Math.min(defaults.excerptTokens, Math.floor(room / 16)),
    verbatimTokens: Math.floor(room / 20),
    pinFileTokens: Math.floor(window / 10),
  };
}

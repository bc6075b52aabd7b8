import { ContextError, defaults, type Keep, type ReadArchive } from "@palimpsest/context";
import { type Goal } from "@palimpsest/context/folding";
import { requireNotNegative, requirePositive } from "@palimpsest/context/internal";
import type { ContextOptions } from "../options/context-options.js";
import { requireInterval, type RewriteInterval } from "../epochs/rewrite-interval.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import type { MicroWriter } from "./micro-writer.js";

/** Options of folding: those of every node, and those of blocks. */
export interface FoldOptions extends ContextOptions {
  /**
   * When an interaction becomes a block: at every step, with the agent's own summary or an automatic one, or only on a
   * directive of the agent. `summaryModel`, or else `model`, writes the automatic summaries; without either they are extracted.
   * @default "every-step"
   */
  readonly condense?: "every-step" | "on-directive";
  /** Newest interactions that stay in full until the model folds them or `blockTokens` is exceeded. @default the latest alone */
  readonly keep?: Keep | readonly Keep[];
  /** Tokens of the automatic summary of one step. @default 65 */
  readonly microTokens?: number;
  /** Tokens of the automatic summary of several blocks. @default 160 */
  readonly macroTokens?: number;
  /** Newest blocks that no automatic consolidation touches. @default 24 */
  readonly recentBlocks?: number;
  /** Tokens of all blocks together, above which the oldest are consolidated. @default 16,000, at most a quarter of the window */
  readonly blockTokens?: number;
  /** Steps without new results after which the model is advised to consolidate. @default 10 */
  readonly deadEndSteps?: number;
  /**
   * Confidence, 0 to 1, below which a directive is not followed: the fold waits. A directive without a confidence is followed.
   * @default 0
   */
  readonly minConfidence?: number;
  /**
   * Keeps more after the agent has asked again for what was folded: with each request an eighth more of `recentBlocks`,
   * `microTokens` and `deadEndSteps`, at most twice as much, and less again while it does not ask. Experimental: no gain is shown
   * yet. @default false
   */
  readonly regret?: boolean;
  /**
   * Steps between two automatic folds, or `{ share }`: the share of the window that new steps take between them. New steps stay
   * in full until then, and are folded together; a context over the trigger is folded at once. @default 1, and 8 while the
   * newest messages have reasoning, which each fold invalidates
   */
  readonly every?: RewriteInterval;
}

/** Options with every default filled in. */
export interface ResolvedFoldOptions extends ResolvedOptions {
  readonly condense: "every-step" | "on-directive";
  readonly microTokens: number;
  readonly macroTokens: number;
  readonly recentBlocks: number;
  readonly blockTokens: number;
  readonly deadEndSteps: number;
  readonly minConfidence: number;
  readonly regret: boolean;
  readonly every: RewriteInterval | undefined;
  readonly inFull: Keep | readonly Keep[] | undefined;
}

/**
 * Returns the options with their defaults, or refuses them.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolveFoldOptions(options: FoldOptions): ResolvedFoldOptions {
  const resolved = resolveOptions(options);
  const { condense = "every-step" } = options;
  const { microTokens = defaults.microTokens, macroTokens = defaults.macroTokens } = options;
  const { recentBlocks = defaults.recentBlocks, deadEndSteps = defaults.deadEndSteps } = options;
  const { blockTokens = Math.min(defaults.blockTokens, Math.floor(resolved.contextWindow / 4)) } = options;
  const limits = { microTokens, macroTokens, recentBlocks, blockTokens, deadEndSteps };
  for (const [name, value] of Object.entries(limits)) requirePositive(name, value);
  const { minConfidence = 0 } = options;
  requireNotNegative("minConfidence", minConfidence);
  if (minConfidence > 1)
    throw new ContextError("bad-option", `minConfidence is ${minConfidence}: use a number from 0 to 1`);
  requireInterval(options.every);
  const { every, keep: inFull } = options;
  const regret = options.regret === true;
  return { ...resolved, condense, ...limits, minConfidence, regret, every, inFull };
}

/** The inputs of a fold besides the messages. */
export interface PlanFoldOptions {
  readonly options: ResolvedFoldOptions;
  readonly read: ReadArchive;
  readonly goals: readonly Goal[];
  readonly writer: MicroWriter;
  /** Id of the newest message when folds were last unfolded by hand. They stay unfolded. */
  readonly unfoldedAt?: string | undefined;
  /** Id of the AI message whose directive was read last. */
  readonly directedBy?: string | undefined;
}

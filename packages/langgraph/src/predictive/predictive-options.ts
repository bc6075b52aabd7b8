import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseMessage } from "@langchain/core/messages";
import {
  ContextError,
  estimateTokens,
  paceDefaults,
  requirePositive,
  type PaceThresholds,
  type TokenCounter,
} from "@palimpsest/context";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { SummaryModel } from "../compaction/summary-call.js";
import type { ContextEvent } from "../edge/context-event.js";
import { requireFiles } from "../edge/resolve-options.js";

/** Options of the node, the middleware and the tools that build the context anew from what the next step needs. */
export interface PredictiveContextOptions {
  /** Where every step is archived before it leaves the context. */
  readonly files: VirtualFilesystem;
  /** Tokens that the messages of a prompt may take. Never exceeded. @default half of `contextWindow` */
  readonly budget?: number;
  /** Tokens of the agent's context window. */
  readonly contextWindow?: number;
  /** `reuse` covers what the next call will probably use; `pace` is the published method. @default "reuse" */
  readonly policy?: "reuse" | "pace";
  /** Share of the budget to which a selection is made; it then stays until the budget is full; as much of the prompt's beginning as is worth it stays even then. 1 selects anew at each step. @default 0.92, with `pace` 1 */
  readonly settle?: number;
  /** Newest steps that stay whole. @default 2 */
  readonly wholeSteps?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
  /** Messages that stay whole, each with its step. */
  readonly pin?: (message: BaseMessage) => boolean;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key that receives the context. Another than `inputKey` leaves the thread whole. @default `inputKey` */
  readonly outputKey?: string;
  /** Tokens of old lines that excerpts are chosen from. @default 256,000 */
  readonly candidateTokens?: number;
  /**
   * Writes summaries in the background: of ranges of old steps, of ranges of ranges, and so on; with `pace` of steps. Without
   * one a range is its path and its excerpts, and with `pace` the forms of a step are cut from it. A small model will do.
   */
  readonly model?: SummaryModel;
  /** Writes the summaries in place of `model`; its window plays no part in the budget. @default `model` */
  readonly summaryModel?: SummaryModel;
  /** With `pace`: encodes steps and queries. @default hashed words, which need no model */
  readonly embeddings?: EmbeddingsInterface;
  /** With `pace`: milliseconds that the encoder may take. @default 5,000 */
  readonly encoderTimeoutMs?: number;
  /** With `pace`: steps that tasks take, T_max. @default 100 */
  readonly maxSteps?: number;
  /** With `pace`: tau. @default 0.3 */
  readonly temperature?: number;
  /** With `pace`: lambda. @default 0.5 */
  readonly pressureGain?: number;
  /** With `pace`: alpha, beta, gamma. @default 0.4, 0.8, 1.5 */
  readonly thresholds?: PaceThresholds;
  /** What to do when the archive or a bug stops a selection. @default "continue" */
  readonly onError?: "continue" | "throw";
  /** Called for every fold and failure. Must not throw; what it throws is ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Options with every default filled in. */
export interface ResolvedPredictive extends PredictiveContextOptions {
  readonly budget: number;
  readonly policy: "reuse" | "pace";
  readonly settle: number;
  readonly wholeSteps: number;
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
}

/**
 * Returns the options with their defaults, or refuses them.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolvePredictive(options: PredictiveContextOptions): ResolvedPredictive {
  requireFiles(options.files);
  const { policy = "reuse", wholeSteps = paceDefaults.recent, inputKey = "messages" } = options;
  const window = options.contextWindow ?? options.model?.profile?.maxInputTokens;
  const budget = options.budget ?? (window === undefined ? undefined : window / 2);
  if (budget === undefined) {
    const way = "pass budget (tokens), contextWindow, or a model whose profile has maxInputTokens";
    throw new ContextError("unknown-window", `The budget of the context is unknown: ${way}`);
  }
  const { settle = policy === "pace" ? 1 : 0.92 } = options;
  const { encoderTimeoutMs = 5_000, maxSteps = 100, temperature = paceDefaults.temperature } = options;
  // PACE looks at every step there is.
  const { candidateTokens = policy === "pace" ? Number.MAX_SAFE_INTEGER : 256_000 } = options;
  const limits = { budget, settle, wholeSteps, encoderTimeoutMs, maxSteps, temperature, candidateTokens };
  for (const [name, value] of Object.entries(limits)) requirePositive(name, value);
  if (settle > 1)
    throw new ContextError("bad-option", `settle is ${settle}: use a share above 0 and at most 1`);
  if (policy !== "reuse" && policy !== "pace") {
    throw new ContextError("bad-option", `policy is ${String(policy)}: use "reuse" or "pace"`);
  }
  const tokenCounter = countedOnce(options.tokenCounter ?? estimateTokens);
  const outputKey = options.outputKey ?? inputKey;
  const model = options.summaryModel ?? options.model;
  return {
    ...options,
    ...(model === undefined ? {} : { model }),
    budget,
    policy,
    settle,
    wholeSteps,
    tokenCounter,
    inputKey,
    outputKey,
    encoderTimeoutMs,
    maxSteps,
    temperature,
    candidateTokens,
  };
}

/** Returns the counter with a memory of each message's count, so that a step counts what it adds. */
function countedOnce(counter: TokenCounter): TokenCounter {
  const known = new WeakMap<BaseMessage, number>();
  return function countMessages(messages, parts) {
    let tokens = parts === undefined ? 0 : counter([], parts);
    for (const message of messages) {
      const counted = known.get(message) ?? counter([message]);
      known.set(message, counted);
      tokens += counted;
    }
    return tokens;
  };
}

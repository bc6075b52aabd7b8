import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, defaults, estimateTokens, type TokenCounter } from "@palimpsest/context";
import { requirePositive } from "@palimpsest/context/internal";
import { paceDefaults } from "@palimpsest/context/selection";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { requireWhole, resolvePace, type PaceOptions, type ResolvedPace } from "./pace/pace-options.js";
import type { SummaryModel } from "../edge/context-options.js";
import type { ContextEvent } from "../edge/context-event.js";
import { requireFiles } from "../edge/resolve-options.js";

/** Options of the node, the middleware and the tools that build the context anew from what the next step needs. */
export interface PredictiveContextOptions extends PaceOptions {
  /** Where every step is archived before it leaves the context. */
  readonly files: VirtualFilesystem;
  /**
   * Tokens that the messages of a prompt may take, in the unit of `tokenCounter`. Exceeded only where the shortest form of
   * what must be sent is larger, and an event says so. @default half of `contextWindow`
   */
  readonly budget?: number;
  /** Tokens of the agent's context window. */
  readonly contextWindow?: number;
  /** `reuse` covers what the next call will probably use; `pace` is the published method. @default "reuse" */
  readonly policy?: "reuse" | "pace";
  /** Share of the budget to which a selection is made; it then stays until the budget is full; as much of the prompt's beginning as is worth it stays even then. 1 selects anew at each step. @default 0.92, with `pace` 1 */
  readonly settle?: number;
  /** Selects once the thread is over the budget, or at each step from the first. @default "budget" */
  readonly from?: "start" | "budget";
  /** Newest steps that stay whole; with `pace` they are a part of the query, N. @default 2 */
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
  /** Milliseconds of one call of `model`. @default 120,000 */
  readonly summaryTimeoutMs?: number;
  /** With `pace`: steps that `model` summarizes at once. @default 2 */
  readonly summaryConcurrency?: number;
  /** What to do when the archive or a bug stops a selection. @default "continue" */
  readonly onError?: "continue" | "throw";
  /** Called for every fold and failure. Must not throw; what it throws is ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Options with every default filled in. */
export interface ResolvedPredictive extends Omit<PredictiveContextOptions, keyof ResolvedPace>, ResolvedPace {
  readonly budget: number;
  readonly policy: "reuse" | "pace";
  readonly settle: number;
  readonly from: "start" | "budget";
  readonly wholeSteps: number;
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
  readonly candidateTokens: number;
  readonly summaryTimeoutMs: number;
  readonly summaryConcurrency: number;
}

const defaultConcurrency = 2;
/** Every option, so that a name that is none is refused. */
const names: Readonly<Record<keyof PredictiveContextOptions, true>> = {
  files: true,
  budget: true,
  contextWindow: true,
  policy: true,
  settle: true,
  from: true,
  wholeSteps: true,
  tokenCounter: true,
  pin: true,
  inputKey: true,
  outputKey: true,
  candidateTokens: true,
  model: true,
  summaryModel: true,
  summaryTimeoutMs: true,
  summaryConcurrency: true,
  onError: true,
  onEvent: true,
  embeddings: true,
  encoderId: true,
  encoderTimeoutMs: true,
  encoderBatch: true,
  encodedCharacters: true,
  maxSteps: true,
  temperature: true,
  pressureGain: true,
  thresholds: true,
  formCharacters: true,
  candidateSteps: true,
};

/**
 * Returns the options with their defaults, or refuses them.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolvePredictive(options: PredictiveContextOptions): ResolvedPredictive {
  requireFiles(options.files);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw bad(`${unknown} is no option`, `use ${Object.keys(names).join(", ")}`);
  const { policy = "reuse", from = "budget", inputKey = "messages" } = options;
  const { settle = policy === "pace" ? 1 : 0.92, wholeSteps = paceDefaults.recent } = options;
  const { candidateTokens = defaults.candidateTokens } = options;
  const { summaryTimeoutMs = defaults.summaryTimeoutMs } = options;
  const { summaryConcurrency = defaultConcurrency } = options;
  const budget = budgetOf(options);
  const limits = { budget, settle, candidateTokens, summaryTimeoutMs };
  for (const [name, value] of Object.entries(limits)) requirePositive(name, value);
  requireWhole("wholeSteps", wholeSteps);
  requireWhole("summaryConcurrency", summaryConcurrency);
  if (settle > 1) throw bad(`settle is ${settle}`, "use a share above 0 and at most 1");
  requireOneOf("policy", policy, ["reuse", "pace"]);
  requireOneOf("from", from, ["start", "budget"]);
  const model = options.summaryModel ?? options.model;
  return {
    ...options,
    ...(model === undefined ? {} : { model }),
    ...resolvePace(options),
    ...limits,
    policy,
    from,
    wholeSteps,
    summaryConcurrency,
    tokenCounter: countedOnce(options.tokenCounter ?? estimateTokens),
    inputKey,
    outputKey: options.outputKey ?? inputKey,
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

function budgetOf({ budget, contextWindow, model }: PredictiveContextOptions): number {
  const window = contextWindow ?? model?.profile?.maxInputTokens;
  const tokens = budget ?? (window === undefined ? undefined : window / 2);
  if (tokens !== undefined) return tokens;
  const way = "pass budget (tokens), contextWindow, or a model whose profile has maxInputTokens";
  throw new ContextError("unknown-window", `The budget of the context is unknown: ${way}`);
}

function requireOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw bad(`${name} is ${value}`, `use ${allowed.map((one) => `"${one}"`).join(" or ")}`);
}

function bad(what: string, way: string): ContextError {
  return new ContextError("bad-option", `${what}: ${way}`);
}

import type { BaseMessage } from "@langchain/core/messages";
import type { Keep, Prices, Trigger } from "@palimpsest/context";
import type { MarkerOptions } from "@palimpsest/context/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextEvent } from "./context-event.js";
import type { NodeConfig } from "./run-config.js";
import type { AnyTokenCounter } from "../options/counted-ahead.js";

/** Options of a call that writes a summary. */
export interface SummaryCallOptions {
  readonly tags?: string[];
  readonly metadata?: Record<string, unknown>;
  readonly runName?: string;
  readonly signal?: AbortSignal;
}

/** Options of a call in which the provider compacts. */
export interface NativeCallOptions extends SummaryCallOptions {
  /** The agent's tools, where the option `tools` names them. */
  readonly tools?: unknown[];
}

/** The part of a chat model that writes summaries: every chat model of LangChain has it. */
export interface SummaryModel {
  invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<BaseMessage>;
  /**
   * Returns the provider's own compaction of the messages: one message with nothing but its block. The model has to send the
   * block back whole. Used with `summaryMode: "native"`; a `ChatOpenAI` on the Responses API needs no such method.
   */
  compactNatively?(messages: BaseMessage[], options?: NativeCallOptions): Promise<BaseMessage>;
  /** Returns the model bound to a JSON schema. Used where the profile, or `structuredSummary`, says that it holds to one. */
  withStructuredOutput?(
    schema: Record<string, unknown>,
    config: { name: string; includeRaw: true },
  ): { invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<unknown> };
  /** Facts that LangChain ships about the model. */
  readonly profile?: { readonly maxInputTokens?: number; readonly structuredOutput?: boolean } | undefined;
}

/** How well the money or the quota behind a run lasts. */
export type BudgetLevel = "normal" | "fallback" | "exhausted";

/** Options that the nodes, conditions, tools and the middleware share. Each reads the ones it needs. */
export interface ContextOptions {
  /** Where originals are archived and the agent's files live. */
  readonly files: VirtualFilesystem;
  /**
   * The agent's model: its profile gives the context window, and it writes the summaries unless `summaryModel` does.
   * Without either, a node extracts summaries from the messages, and a middleware takes the agent's own model.
   */
  readonly model?: SummaryModel;
  /**
   * Writes the summaries in place of `model`; its window does not affect the trigger. With `"none"`, they are extracted from
   * the messages. @default `model`; in a middleware, then the agent's own model
   */
  readonly summaryModel?: SummaryModel | "none";
  /**
   * Tokens of the agent's context window. @default `model.profile.maxInputTokens`; in a middleware the
   * `profile.maxInputTokens` of the agent's own model comes before that
   */
  readonly contextWindow?: number;
  /** When to compact. @default `{ fraction: 0.85 }`, with `agentControlled` `{ fraction: 0.95 }` */
  readonly trigger?: Trigger | readonly Trigger[];
  /**
   * Newest part of the context that a compaction does not change: exactly one unit. Under a trigger in messages it is at most
   * what leaves room for the first message, the summary and the next message. @default `{ fraction: 0.1 }`
   */
  readonly keep?: Keep;
  /** The agent has `compress_context`, so the automatic trigger is only its safety net. @default false */
  readonly agentControlled?: boolean;
  /** With `agentControlled`: prepares the lines about the fill of the window that `withContextBudget` sends. @default true */
  readonly contextBudget?: boolean;
  /** The tool compacts at or above this size; below it, it answers why not. @default half of `trigger` */
  readonly agentTrigger?: Trigger | readonly Trigger[];
  /**
   * Returns the budget of the run; called at every step. `fallback` lowers the trigger by 10 points of the window, and keeps one
   * turn or a third of the tokens, messages or fraction less; `exhausted` twice as much. Must not throw; what it throws
   * counts as `normal`.
   * @default always `normal`
   */
  readonly budgetLevel?: (config: NodeConfig | undefined) => BudgetLevel;
  /**
   * Share of the window, below the trigger, at which the next summary is prepared in the background. The compaction uses
   * it if its messages have not changed. Needs a `model` or `summaryModel`. @default never
   */
  readonly prepareAt?: number;
  /** Compacts below the trigger as well when that lowers the bill. @default only at the trigger */
  readonly planner?: PlannerOptions;
  /**
   * Counts messages. One that returns a promise is asked once for each message object; a condition, which cannot wait,
   * estimates what no node has counted yet. @default estimateTokens
   */
  readonly tokenCounter?: AnyTokenCounter;
  /** System prompt for the summary model. */
  readonly summaryPrompt?: string;
  /** Binds the summary model to a JSON schema, where its profile does not say whether it can. @default `model.profile.structuredOutput` */
  readonly structuredSummary?: boolean;
  /**
   * `"suffix"` appends the request to the live prompt, byte for byte, so that the call reads the prompt cache. Bind the
   * agent's tools to the model, and pass its `systemPrompt`. No recorded run has measured the saving yet.
   *
   * `"native"` asks the provider of `model` to compact, and keeps its block in place of a summary; where that fails, a summary
   * is written. `model` must be the agent's own: a `ChatOpenAI` on the Responses API, or a model with `compactNatively`. Pass
   * the agent's `systemPrompt` and `tools`. Not with `prepareAt`.
   *
   * @experimental
   * @default "separate"
   */
  readonly summaryMode?: "separate" | "suffix" | "native";
  /** Timeout in milliseconds for one summary; afterwards the summary is extracted from the messages. @default 120,000 */
  readonly summaryTimeoutMs?: number;
  /**
   * Tokens of the conversation that the summary model reads: over it the longest messages are shortened to
   * beginning and end, in what the model reads alone. A small value pays less for each summary; names and numbers that the
   * model does not see are still quoted by `excerptTokens`. Not in `summaryMode: "suffix"` or `"native"`, where the model reads
   * the live prompt. @default no limit
   */
  readonly summaryInputTokens?: number;
  /**
   * Tokens of the findings in a summary, at most a tenth of the window; each other section may have up to half as many. The
   * newest entries stay, the others are in the archive. A small value pays less for each prompt, and for each summary, since the
   * summary model reads the one before. @default 2,000, less with a lower trigger
   */
  readonly summaryTokens?: number;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: (message: BaseMessage) => boolean;
  /** Tools whose calls and results stay verbatim. */
  readonly pinTools?: readonly string[];
  /**
   * Files whose reads and writes stay verbatim: whole paths (`AGENTS.md` is `/AGENTS.md`), or globs from the root on
   * (`/docs/*.md`, `**\/AGENTS.md`). The newest stay, up to 50 calls and `pinFileTokens`; `context.pins` names the others.
   */
  readonly pinFiles?: readonly string[];
  /** Tokens of the calls and results that `pinFiles` keeps. @default a tenth of the window */
  readonly pinFileTokens?: number;
  /** Minimum messages of a context before the trigger applies. @default 0 */
  readonly minMessages?: number;
  /** Tokens of lines that a summary quotes verbatim. @default 3,000, at most a sixteenth of the window, less with a lower trigger */
  readonly excerptTokens?: number;
  /**
   * Scores the messages of a span; those with the highest scores stay verbatim within `verbatimTokens`, in every rung.
   * Returns a number for each message; 0 or less promotes nothing. An error sends `context.fail`. @default none
   */
  readonly importance?: (
    messages: readonly BaseMessage[],
    config: NodeConfig | undefined,
  ) => readonly number[];
  /** Keeps messages in which the model expresses doubt verbatim, within `verbatimTokens`, before `importance`. @default none */
  readonly markers?: MarkerOptions | ((config: NodeConfig | undefined) => MarkerOptions | undefined);
  /** Tokens of messages that `importance` and `markers` keep, with the calls that results need. @default a twentieth of the window */
  readonly verbatimTokens?: number;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key that receives the context. A key other than `inputKey` keeps the thread whole. @default `inputKey` */
  readonly outputKey?: string;
  /** System prompt that the host sends in addition to the messages; counted, not sent. */
  readonly systemPrompt?: string;
  /** Tools that the host binds to the model; counted, not sent. */
  readonly tools?: readonly unknown[];
  /** A tool result with more tokens is offloaded. @default 20,000 */
  readonly offloadTokens?: number;
  /** Maximum total tokens of the results of one step. @default a quarter of the window */
  readonly batchTokens?: number;
  /** Tools whose results stay whole because the tools bound them. @default the tools of `fileTools` */
  readonly excludeTools?: readonly string[];
  /** Lines of a preview. @default 10 */
  readonly previewLines?: number;
  /** Longer string arguments of old tool calls are replaced; characters. @default 2,000 */
  readonly inputCharacters?: number;
  /** Tokens of folded user messages that stay verbatim besides the first and the newest. @default 20,000, at most a quarter of the window, less with a lower trigger */
  readonly userTokens?: number;
  /**
   * Tokens of the lines that a summary shows of the other folded user messages: one of every message, over this limit the
   * oldest are the shortest. @default 3,000, at most an eighth of the window
   */
  readonly userLineTokens?: number;
  /** When an error stops a compaction: keep the messages unchanged, or throw. @default "continue" */
  readonly onError?: "continue" | "throw";
  /** Called for every fold, refusal and failure. Errors that it throws are ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Makes the ladder also run below the trigger when that lowers the bill. */
export interface PlannerOptions {
  /** What the provider charges. Required without `cache`, and used in its place where both are given. */
  readonly prices?: Prices;
  /**
   * Stands in for unknown prices. `"typical"`: a token read from the cache costs a tenth of an input token, one written to it
   * 1.25, one generated 5. Bills are then in prices of a million input tokens.
   */
  readonly cache?: "typical";
  /** Prices of `model`, where it is not the agent's own. @default `prices` */
  readonly summaryPrices?: Prices;
  /**
   * Lifetime of the provider's prompt cache in seconds. After it has expired, a compaction costs almost nothing.
   * The time of the last call is `response_metadata.created_at` of its message; where that is missing, the node
   * writes it to the state channel `compaction` at each step. @default unlimited
   */
  readonly cacheSeconds?: number;
  /** Expected number of further steps. @default as many as the thread has had */
  readonly remainingSteps?: number | ((messages: readonly BaseMessage[]) => number);
  /** Tokens that the agent reads again after each compaction. @default 1,200 */
  readonly rereadTokens?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

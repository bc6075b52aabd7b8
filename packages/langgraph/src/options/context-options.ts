import type { BaseMessage } from "@langchain/core/messages";
import type { Keep, Lane, Prices, Trigger } from "@palimpsest/context";
import type { MarkerOptions } from "@palimpsest/context/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextEvent } from "../context-event.js";
import type { NodeConfig } from "../run-config.js";
import type { ContextLimits } from "./context-limits.js";
import type { AnyTokenCounter } from "./counted-ahead.js";

/** Options of a call that writes a summary. */
export interface SummaryCallOptions {
  readonly tags?: string[];
  readonly metadata?: Record<string, unknown>;
  readonly runName?: string;
  readonly signal?: AbortSignal;
}

/** Options of a call in which the provider compacts. */
export interface NativeCallOptions extends SummaryCallOptions {
  /** The agent's tools, if the option `tools` names them. */
  readonly tools?: unknown[];
}

/** The part of a chat model that writes summaries: every chat model of LangChain has it. */
export interface SummaryModel {
  invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<BaseMessage>;
  /**
   * Returns the provider's compaction of the messages: one message with nothing but its block. The model class must send the
   * block back unchanged. Used with `summaryModel: "native"`; a `ChatOpenAI` on the Responses API does not need this method.
   */
  compactNatively?(messages: BaseMessage[], options?: NativeCallOptions): Promise<BaseMessage>;
  /**
   * Returns the model bound to a JSON schema. Used if the profile says that the model supports schemas.
   */
  withStructuredOutput?(
    schema: Record<string, unknown>,
    config: { name: string; includeRaw: true },
  ): { invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<unknown> };
  /** Facts that LangChain ships about the model. */
  readonly profile?: { readonly maxInputTokens?: number; readonly structuredOutput?: boolean } | undefined;
}

/** How much of the money or the quota of a run is left. */
export type BudgetLevel = "normal" | "fallback" | "exhausted";

/** Options of the nodes, conditions, tools and the middleware. Each uses the ones it needs. */
export interface ContextOptions {
  /** Where originals are archived and the agent's files live. */
  readonly files: VirtualFilesystem;
  /**
   * The agent's model: its profile gives the context window, and it writes the summaries unless `summaryModel` does.
   * Without either, a node extracts summaries from the messages, and a middleware uses the agent's own model.
   */
  readonly model?: SummaryModel;
  /**
   * Writes the summaries in place of `model`; its window does not affect the trigger. With `"none"`, they are extracted from
   * the messages.
   *
   * With `"native"`, the provider of `model` compacts, and its block is kept in place of a summary; where that fails, `model`
   * writes a summary. `model` must be the agent's own: a `ChatOpenAI` on the Responses API, or a model with `compactNatively`.
   * Pass the agent's `systemPrompt` and `tools`. Not with `prepareAt`. Experimental.
   * @default `model`; in a middleware, then the agent's own model
   */
  readonly summaryModel?: SummaryModel | "none" | "native";
  /**
   * Tokens of the agent's context window. @default `model.profile.maxInputTokens`; in a middleware the
   * `profile.maxInputTokens` of the agent's own model comes before that
   */
  readonly contextWindow?: number;
  /** When to compact. @default `{ fraction: 0.85 }`, with `agentControlled` `{ fraction: 0.95 }` */
  readonly trigger?: Trigger | readonly Trigger[];
  /**
   * Newest part of the context that a compaction does not change, in exactly one unit; an array keeps what its largest member
   * keeps, such as `[{ turns: 3 }, { fraction: 0.1 }]`. Under a trigger in messages it leaves
   * room for the first message, the summary and the next message. @default `{ fraction: 0.1 }`
   */
  readonly keep?: Keep | readonly Keep[];
  /** The agent has `compress_context`, and the automatic trigger is only a safety net. @default false */
  readonly agentControlled?: boolean;
  /** Size from which `compress_context` compacts; below it, the tool answers why it does not. @default half of `trigger` */
  readonly agentTrigger?: Trigger | readonly Trigger[];
  /**
   * Returns the budget of the run; called at every step. `fallback` lowers the trigger by 10 percentage points of the window,
   * and `keep` by one turn, or by a third in other units; `exhausted` by twice as much. An error counts as `normal`.
   * @default always `normal`
   */
  readonly budgetLevel?: (config: NodeConfig | undefined) => BudgetLevel;
  /**
   * Returns the sizes of one run, such as those of a user: `(config) => ({ contextWindow: config?.context.window })`. What it
   * leaves out is as in the options, and so is everything where it fails, which sends `context.fail`. @default none
   */
  readonly settings?: (config: NodeConfig | undefined) => RunSettings;
  /**
   * Share of the window, below the trigger, at which the next summary is written in the background. The compaction uses it if
   * its messages have not changed. Needs a `model` or `summaryModel`. @default never
   */
  readonly prepareAt?: number;
  /** Compacts below the trigger as well when that lowers the bill. @default only at the trigger */
  readonly planner?: PlannerOptions;
  /**
   * Counts the tokens of messages. A counter that returns a promise is called once for each message object; a condition cannot
   * wait, and estimates messages that no node has counted yet. @default estimateTokens
   */
  readonly tokenCounter?: AnyTokenCounter;
  /** System prompt for the summary model. It may ask for prose: each line of the answer is then a finding. */
  readonly summaryPrompt?: string;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: (message: BaseMessage) => boolean;
  /** Tools whose calls and results stay verbatim. */
  readonly pinTools?: readonly string[];
  /**
   * Files whose reads and writes stay verbatim: whole paths (`AGENTS.md` is `/AGENTS.md`), or globs from the root
   * (`/docs/*.md`, `**\/AGENTS.md`). The newest calls stay, at most 50 and within `limits.pinnedFiles`;
   * the event `context.pins` names the others.
   */
  readonly pinFiles?: readonly string[];
  /** Number of messages below which the trigger does not apply. @default 0 */
  readonly minMessages?: number;
  /**
   * Returns a score for each message of a span. The messages with the highest scores above 0 stay verbatim within
   * `limits.verbatim`, in every rung. An error sends `context.fail`. @default none
   */
  readonly importance?: (
    messages: readonly BaseMessage[],
    config: NodeConfig | undefined,
  ) => readonly number[];
  /** Keeps messages in which the model expresses doubt verbatim, within `limits.verbatim`, before `importance`. @default none */
  readonly markers?: MarkerOptions | ((config: NodeConfig | undefined) => MarkerOptions | undefined);
  /**
   * The agent folds into a part of the thread's archive of its own, below `/context/lanes/<name>/`, of which other agents of the
   * thread may read what `share` says: nothing, the stand-ins of its folds, or also the originals. Pass it to the agent's tools as
   * well. It hides only from tools: unfolding, `readThread` and operators see everything. @default the archive that all agents of
   * the thread share
   */
  readonly lane?: Lane;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key that receives the context. A key other than `inputKey` keeps the thread whole. @default `inputKey` */
  readonly outputKey?: string;
  /**
   * Keeps `inputKey` as it happened, for an interface that shows it: folds and stand-ins are beside it, in the channel
   * `compaction`. A model node of your own sends `contextIn(state)`. Not with an `outputKey`.
   * @default false; true in the middleware with the host `"deepagents"`
   */
  readonly keepThread?: boolean;
  /** System prompt that the host sends in addition to the messages. It is counted, and kept for the inspector. */
  readonly systemPrompt?: string;
  /** Tools that the host binds to the model. They are counted, and kept for the inspector. */
  readonly tools?: readonly unknown[];
  /** Sizes above which a part of the context is offloaded, cut, or left to the archive. @default by the window */
  readonly limits?: ContextLimits;
  /** Names of tools whose results are never offloaded, because the tools limit them. @default the tools of `fileTools` */
  readonly excludeTools?: readonly string[];
  /**
   * What an error does that stops a compaction: the messages stay unchanged, or it is thrown. Interrupts, errors of an aborted run
   * and summary calls that used up stack or memory are always thrown. @default "continue"
   */
  readonly onError?: "continue" | "throw";
  /**
   * Tool calls in a row that share no word with the first and the newest message of the user and the newest plan, after which the
   * event `context.drift` says so. 12 is a good start. @default none: nobody watches
   */
  readonly driftCalls?: number;
  /** Called with every event. Errors that it throws are ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Sizes that may differ from run to run; `budgetLevel` is a function of the run by itself. */
export type RunSettings = {
  readonly [Name in "contextWindow" | "trigger" | "keep" | "limits"]?: ContextOptions[Name] | undefined;
};

/** Options of the planner, which also compacts below the trigger if that lowers the bill. */
export interface PlannerOptions {
  /** What the provider charges. Required without `cache`; if both are given, `prices` counts. */
  readonly prices?: Prices;
  /**
   * Replaces unknown prices. `"typical"`: a token read from the cache costs 0.1 input tokens, one written to it 1.25, one
   * generated 5. The unit of bills is then the price of a million input tokens.
   */
  readonly cache?: "typical";
  /** Prices of the summary model, if it is not the agent's own. @default `prices` */
  readonly summaryPrices?: Prices;
  /**
   * Lifetime of the provider's prompt cache in seconds. Once it has expired, a compaction costs almost nothing. The time of the
   * last call is `response_metadata.created_at` of its message; if that is missing, the node writes it to the state channel
   * `compaction` at each step. @default unlimited
   */
  readonly cacheSeconds?: number;
  /** Expected number of further steps. @default the steps of the thread so far */
  readonly remainingSteps?: number | ((messages: readonly BaseMessage[]) => number);
  /** Tokens that the agent reads again after each compaction. @default 1,200 */
  readonly rereadTokens?: number;
  /** Returns the time in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

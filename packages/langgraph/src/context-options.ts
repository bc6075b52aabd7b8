import type { BaseMessage } from "@langchain/core/messages";
import type { Keep, TokenCounter, Trigger } from "@palimpsest/context";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextEvent } from "./context-event.js";
import type { SummaryModel } from "./compaction/summary-model.js";

/** Options that the nodes, conditions, tools and the middleware share. Each reads the ones it needs. */
export interface ContextOptions {
  /** Where originals are archived and the agent's files live. */
  readonly files: VirtualFilesystem;
  /** Writes the summaries; any chat model. Without one they are extracted from the messages. */
  readonly model?: SummaryModel;
  /** Tokens of the agent's context window. @default `model.profile.maxInputTokens` */
  readonly contextWindow?: number;
  /** When to compact. @default `{ fraction: 0.85 }`, with `agentControlled` `{ fraction: 0.95 }` */
  readonly trigger?: Trigger | readonly Trigger[];
  /** What a compaction leaves alone at the end of the context. @default `{ fraction: 0.1 }` */
  readonly keep?: Keep;
  /** The agent has `compress_context`, so the automatic trigger is only its safety net. @default false */
  readonly agentControlled?: boolean;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
  /** System prompt for the summary model. */
  readonly summaryPrompt?: string;
  /** Milliseconds that the summary model may take for one summary; then it is taken from the messages. @default 120,000 */
  readonly summaryTimeoutMs?: number;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: (message: BaseMessage) => boolean;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key that receives the context. Another than `inputKey` leaves the thread whole. @default `inputKey` */
  readonly outputKey?: string;
  /** System prompt that the host sends beside the messages; counted, not sent. */
  readonly systemPrompt?: string;
  /** Tools that the host binds to the model; counted, not sent. */
  readonly tools?: readonly unknown[];
  /** Tokens of a tool result over which it is offloaded. @default 20,000 */
  readonly offloadTokens?: number;
  /** Tokens that the results of one step may have together. @default a quarter of the window */
  readonly batchTokens?: number;
  /** Tools whose single results are bounded already and stay whole. @default the tools of `fileTools` */
  readonly excludeTools?: readonly string[];
  /** Lines of a preview. @default 10 */
  readonly previewLines?: number;
  /** Characters of a string argument over which an old tool call is truncated. @default 2,000 */
  readonly inputCharacters?: number;
  /** Tokens of folded user messages that stay verbatim. @default 20,000, at most a quarter of the window */
  readonly userTokens?: number;
  /** What to do when the archive or a bug stops a compaction: leave the messages as they are, or throw. @default "continue" */
  readonly onError?: "continue" | "throw";
  /** Called for every fold, refusal and failure. Must not throw; what it throws is ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

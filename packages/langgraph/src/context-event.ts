import type { Fold } from "@palimpsest/context";
import type {
  CallBill,
  Certificate,
  CompactionBill,
  OverflowPart,
  ReportedCall,
  SummaryTokens,
} from "@palimpsest/context/internal";

/** Why the context was changed. */
export type CompactionReason =
  /** Results that were too large when they arrived. */
  | "arrival"
  /** The agent took a step, and its interaction became a block. */
  | "step"
  /** The trigger was met, or blocks were over their budget. */
  | "trigger"
  /** The trigger was not met, but the planner found that folding now makes the bill smaller. */
  | "planned"
  /** The agent asked with `compress_context` or a fold directive. */
  | "agent"
  /** The trigger was met although the agent has `compress_context`. */
  | "safety-net"
  /** The provider refused the prompt as too long, or ended the answer at the window. */
  | "overflow"
  /** The provider refused reasoning in the prompt. */
  | "reasoning-refused"
  /** The host asked with `compactThread`. */
  | "user"
  /** The host changed what was sent before, which made reasoning stale. */
  | "edit"
  /** The context was selected for what the next step will need. */
  | "predicted";

/** How a compaction shortened the context. */
export type CompactionStrategy =
  /** Lines and pointers took the place of stale reads, and of inputs and results of old calls. */
  | "shorten"
  /** A summary, or a compaction by the provider. */
  | "summarize"
  /** A note without a summary: the agent or the host asked for it, or a summary was too large or could not be written. */
  | "archive";

/** Why a compaction that was due was not applied. */
export type SkipReason =
  /** What has to stay is larger than the trigger. */
  | "floor"
  /** The shorter context would free too little. */
  | "too-little-freed"
  /** Nothing that the model has seen can be folded. */
  | "nothing-to-fold"
  /** The agent asked for a compaction while the context was too small for one to pay. */
  | "too-early"
  /** A fold directive was invalid; the interaction became a block of its own. */
  | "bad-directive";

/** Why the model is called again for the same step. */
export type RetryReason =
  /** The answer was cut at the context window, or is empty because the prompt left no room for one. */
  | "window-exceeded"
  /** The provider has compacted the context itself, and waits for the next call. */
  | "provider-compacted"
  /** The provider refused reasoning in the prompt. */
  | "reasoning-refused";

/** The part of a step that failed. */
export type FailedRung =
  | "archive"
  | "summary"
  | "compaction"
  | "counter"
  | "encoder"
  | "importance"
  | "markers"
  | "budget"
  | "settings"
  /** The graph or its tools are not connected with the node as they have to be: the error says how. */
  | "wiring"
  /** A reply reports an input that cannot be that of its prompt. Sent once for a thread. */
  | "usage";

/** The fallback that is taken. */
export type NextRung =
  /** The summary model is asked again without a schema. */
  | "retry"
  /** The summary model is asked in pieces that are a quarter as long. */
  | "smaller-pieces"
  /** The summary model is asked to reformat an answer that could not be parsed. */
  | "repair"
  /** The provider does not compact, so a summary is written. */
  | "separate"
  /** The summary is taken from the messages themselves. */
  | "extract"
  /** The messages go to the archive without a summary. */
  | "trim"
  /** Similarity is computed from words alone. */
  | "words"
  /** A step is sent whole or as a placeholder until it is summarized. */
  | "placeholder"
  /** `importance` and `markers` promote no message. */
  | "unpromoted"
  /** Tokens are estimated. */
  | "estimate"
  /** The options count as they were given, without `settings`. */
  | "options"
  /** The budget counts as `normal`. */
  | "normal-budget"
  /** The context is unchanged. */
  | "none";

/** What a compaction cost and saves, in tokens and in the currency of the planner's prices. */
export interface PlannedBill extends CompactionBill {
  /** The compaction before: steps since then, what it cost, and what it has saved in them. */
  readonly last?: {
    readonly steps: number;
    readonly cost: number;
    readonly saved: number;
    /** Present if the provider reports its cache and the answer is still in the context. */
    readonly firstCall?: FirstCall;
  };
}

/** The first call after a compaction: its bill as predicted, and as the provider reported it. */
export interface FirstCall {
  readonly predicted: CallBill;
  readonly reported: ReportedCall;
}

/** What happened to a context. Sent to `onEvent` and to the `custom` stream of the graph. */
export type ContextEvent =
  /** One fold was applied. */
  | {
      readonly type: "context.fold";
      readonly fold: Fold;
      readonly reason: CompactionReason;
      readonly threadId: string;
    }
  /** Where the facts of one summary or trim are now; the certificate is in the archive at `certificate.path`. */
  | {
      readonly type: "context.certificate";
      readonly certificate: Certificate;
      readonly reason: CompactionReason;
      readonly threadId: string;
    }
  /**
   * The summary model was called, successfully or not. One event covers all calls of one summary, or those for the blocks of
   * one step.
   */
  | {
      readonly type: "context.summary";
      readonly usage: SummaryTokens;
      readonly threadId: string;
    }
  /** The provider compacted the context itself; sent by each run of a node that finds it in the newest reply. */
  | {
      readonly type: "context.native";
      /** Id of the reply that carries the compaction. */
      readonly messageId: string | undefined;
      /**
       * Tokens of the compaction, which the provider bills in addition to the usage of the reply; absent if it does not report
       * them.
       */
      readonly usage?: SummaryTokens;
      readonly threadId: string;
    }
  /** A run of the ladder changed the context, and it fits the window; tokens of the whole prompt. */
  | {
      readonly type: "context.compaction";
      readonly reason: CompactionReason;
      readonly strategy: CompactionStrategy;
      /** Why the agent asked, in its own words. With the reason `agent`. */
      readonly agentReason?: string;
      /** Tokens of the calls for the applied summary, including one that was prepared. */
      readonly usage?: SummaryTokens;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Tokens of the window. */
      readonly window: number;
      /** Messages of the context. */
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** With a `planner`. */
      readonly bill?: PlannedBill;
      readonly threadId: string;
    }
  /** A compaction folded calls for files of `pinFiles`, because newer ones use up `limits.pinnedFiles`. */
  | {
      readonly type: "context.pins";
      /** Paths as the calls name them, each once. */
      readonly leftOut: readonly string[];
      /** The option `limits.pinnedFiles`. */
      readonly limit: number;
      readonly reason: CompactionReason;
      readonly threadId: string;
    }
  /** The model is called again for the same step. An overflow that was thrown sends `context.compaction` instead. */
  | {
      readonly type: "context.retry";
      readonly reason: RetryReason;
      /** The stop reason, or the provider's error with the block that it refused. */
      readonly message: string;
      /** Ids of the messages concerned: answers that are replaced, or messages without their reasoning from now on. */
      readonly messages: readonly string[];
      /** Archive path of the answers that are replaced. */
      readonly path?: string;
      readonly threadId: string;
    }
  /** A prepared summary was started, archived, applied, or discarded because a message of its span changed. */
  | {
      readonly type: "context.prepare";
      readonly step: "started" | "ready" | "applied" | "discarded";
      /** Number of messages in its span. */
      readonly messages: number;
      readonly threadId: string;
    }
  /** `unfoldThread` opened folds. Tokens are those of the whole prompt. */
  | {
      readonly type: "context.unfold";
      readonly folds: readonly Fold[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly threadId: string;
    }
  /** With `driftCalls`: the newest tool calls have nothing in common with the goal. Sent once for a row of calls. */
  | {
      readonly type: "context.drift";
      /** Number of the calls so far. */
      readonly calls: number;
      /** Id of the oldest message with one of them; "" if it has none. */
      readonly messageId: string;
      readonly threadId: string;
    }
  /** With the option `regret`: what folds keep has changed, because the agent asked again for what was folded, or no longer does. */
  | {
      readonly type: "context.regret";
      /** 0 to 8; at 8 folds keep twice as much. */
      readonly level: number;
      readonly recentBlocks: number;
      /** Tokens of the automatic summary of one step. */
      readonly microTokens: number;
      readonly deadEndSteps: number;
      readonly threadId: string;
    }
  /** A compaction was due and was not applied. The context is unchanged. */
  | {
      readonly type: "context.skip";
      /** Why the compaction was due. */
      readonly due: CompactionReason;
      readonly reason: SkipReason;
      readonly message: string;
      readonly threadId: string;
    }
  /**
   * The prompt is larger than the window (with predictive context: than the budget), and no part can be shortened further.
   * Sent once for a reason, and again when the prompt has grown by 5 %. A compaction that ends over the window sends it in place
   * of `context.compaction`.
   */
  | {
      readonly type: "context.overflow";
      readonly reason: CompactionReason;
      /** Tokens of the prompt before the ladder ran; equal to `tokens` when it changed nothing. */
      readonly tokensBefore: number;
      /** Tokens of the prompt as it is sent. */
      readonly tokens: number;
      /** Tokens of the window, or with predictive context of the budget. */
      readonly window: number;
      /** What the prompt consists of and why it cannot be shortened, the largest part first. */
      readonly parts: readonly OverflowPart[];
      readonly message: string;
      readonly threadId: string;
    }
  /**
   * A user message, or with predictive context a system message, does not fit the window or the budget. Its beginning, its end
   * and its rules stay; the whole message is at `path`.
   */
  | {
      readonly type: "context.clip";
      readonly messageId: string | undefined;
      readonly path: string;
      /** Tokens of the message by the counter. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly reason: CompactionReason;
      readonly threadId: string;
    }
  /** A rung failed; the next one was taken, or the context is unchanged. */
  | {
      readonly type: "context.fail";
      readonly rung: FailedRung;
      readonly error: unknown;
      readonly next: NextRung;
      readonly threadId: string;
    };

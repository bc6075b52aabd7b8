import type { BaseMessage } from "@langchain/core/messages";
import type { CompactionState } from "../edge/context-state.js";
import type { NodeConfig } from "../edge/run-config.js";

export interface CompactInput {
  readonly messages: readonly BaseMessage[];
  readonly state?: CompactionState | undefined;
  readonly config?: NodeConfig | undefined;
  /** Compacts whatever the size, because the provider has refused the prompt. */
  readonly overflow?: boolean;
  /** The host asks for a compaction, whatever the size. */
  readonly request?: HostRequest | undefined;
  /** Goes straight to the summary: no offloading, no cheaper rung. */
  readonly only?: "summary";
}

/** What `compactThread` asks for. */
export interface HostRequest {
  /** `archive` leaves a note in place of a summary. @default "summarize" */
  readonly strategy?: "summarize" | "archive" | undefined;
  /** Id of the message above which everything is folded. @default what `keep` leaves */
  readonly above?: string | undefined;
}

export interface CompactOutcome {
  /** The context; the very array that came in when nothing was changed. */
  readonly messages: readonly BaseMessage[];
  /** Update for the `compaction` channel. */
  readonly state?: CompactionState;
}

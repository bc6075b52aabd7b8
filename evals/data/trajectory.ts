import type { BaseMessage } from "@langchain/core/messages";

/** What was recorded beside a message. */
export interface MessageRecord {
  /** Tokens of the whole prompt of this call, as its provider reported them. */
  readonly inputTokens?: number;
  /** Reasoning of the agent's model. */
  readonly thinking?: string;
  /** Written by the recording harness, not by the user. */
  readonly isMeta?: true;
}

/** A summary with which the recording harness replaced messages. It is not part of `messages`. */
export interface RecordedCompaction {
  /** Index of the message that came next. */
  readonly before: number;
  readonly summary: string;
  /** Tokens of the prompt that was compacted, as the harness reported them. */
  readonly tokensBefore?: number;
}

/** A recorded or generated run of an agent: all its messages in order. */
export interface Trajectory {
  readonly set: string;
  readonly id: string;
  readonly messages: readonly BaseMessage[];
  /** Message id -> what was recorded beside it. @default nothing */
  readonly records?: ReadonlyMap<string, MessageRecord>;
  /** @default none */
  readonly compactions?: readonly RecordedCompaction[];
  /** Several tasks, each begun with an empty context: what a step needs never comes from an earlier task. @default false */
  readonly isJoined?: true;
}

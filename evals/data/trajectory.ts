import type { BaseMessage } from "@langchain/core/messages";

/** What was recorded of a message besides the message. */
export interface MessageRecord {
  /** Tokens of the whole prompt of this call, as its provider reported them. */
  readonly inputTokens?: number;
  /** Reasoning that the agent's model put out. */
  readonly thinking?: string;
  /** The recording harness put it in, not the user. */
  readonly isMeta?: true;
}

/** A summary that the recording harness put in place of messages. It is none of the trajectory's messages. */
export interface RecordedCompaction {
  /** Index of the message that came next. */
  readonly before: number;
  readonly summary: string;
  /** Tokens of the prompt that was compacted, as the harness reported them. */
  readonly tokensBefore?: number;
}

/** A recorded or generated run of an agent: all its messages in order, none left out. */
export interface Trajectory {
  readonly set: string;
  readonly id: string;
  readonly messages: readonly BaseMessage[];
  /** Message id -> what was recorded beside it. @default nothing */
  readonly records?: ReadonlyMap<string, MessageRecord>;
  /** @default none */
  readonly compactions?: readonly RecordedCompaction[];
}

import type { BaseMessage } from "@langchain/core/messages";

/** A recorded or generated run of an agent: all its messages in order, none left out. */
export interface Trajectory {
  readonly set: string;
  readonly id: string;
  readonly messages: readonly BaseMessage[];
}

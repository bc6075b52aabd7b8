import type { BaseMessage } from "@langchain/core/messages";

/** Input of a policy at a step, besides the thread so far. */
export interface StepFacts {
  /** Index of the chunk that comes next; a chunk is an assistant message with its results, or one other message. */
  readonly chunk: number;
  /** The strings that the next step's calls will need. Only the oracle reads it: it is the future. */
  readonly needed: readonly string[];
}

/** One run of a policy over one thread; called once for each chunk, in order. */
export interface PolicyRun {
  /** Returns the context for the next step. `added` are the messages since the last call; all of them in the first. */
  context(added: readonly BaseMessage[], facts: StepFacts): Promise<readonly BaseMessage[]>;
}

/** A strategy that builds the prompt. */
export interface Policy {
  readonly name: string;
  /** Starts a thread. `budget` is in tokens of four characters; a policy that has no budget ignores it. */
  start(options: { readonly budget: number; readonly seed: number }): PolicyRun;
}

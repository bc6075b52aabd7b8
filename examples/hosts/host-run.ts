import { HumanMessage, type BaseMessage } from "@langchain/core/messages";

/** What a recipe shows: the same question, asked of the same model in another host. */
export interface HostRun {
  /** Tokens of every prompt. The window has 16,000. */
  readonly prompts: readonly number[];
  readonly answer: string | undefined;
  /** The thread as it happened, every fold opened. */
  readonly thread: readonly BaseMessage[];
}

export const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");

export const config = { configurable: { thread_id: "t1" }, recursionLimit: 300 };

/** Prints a run when its recipe was started as a program. */
export function print({ prompts, answer, thread }: HostRun): void {
  console.log(`largest prompt ${Math.max(...prompts).toLocaleString("en")} tokens of a window of 16,000`);
  console.log(`${thread.length} messages can be read back. ${answer}`);
}

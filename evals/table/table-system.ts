import type { BaseMessage } from "@langchain/core/messages";
import type { MeteredWriter } from "../cost/summary-meter.js";

/** What a system is told at the start of a thread: the same for all of them. */
export interface TableHost {
  /** The most tokens, of four characters, of a prompt. */
  readonly window: number;
  /** The summary model. Whatever it reads and writes is billed. */
  readonly model: MeteredWriter;
  /** Calls the summary model with texts, for a package that has model classes of its own. */
  readonly summarize: (texts: readonly string[]) => Promise<string>;
  /** Returns the tokens of messages, of four characters. */
  readonly count: (messages: readonly BaseMessage[]) => number;
}

/**
 * Returns the next prompt of a thread; called before each model call.
 *
 * @param messages what the system reads, with the newest messages last
 * @param added those of them that came in since the last call
 */
export type Shorten = (
  messages: BaseMessage[],
  added: readonly BaseMessage[],
) => readonly BaseMessage[] | Promise<readonly BaseMessage[]>;

/** Starts a thread. */
export type Start = (host: TableHost) => Shorten;

/** A row of the open table. */
export interface TableSystem {
  readonly name: string;
  /** The npm package, whose installed version the table shows. Undefined for a baseline. */
  readonly package?: string;
  readonly isOurs?: true;
  /** `prompt`: its last prompt and what was added. `thread`: all messages, for what only selects. */
  readonly reads: "prompt" | "thread";
  /** At most four by name, of which the first is how one would begin with it. The best of them is the tuned one. */
  readonly settings: Readonly<Record<string, Start>>;
}

import type { BaseMessage } from "@langchain/core/messages";

/** One session of a system: it takes the steps of an agent, one after the other. */
export interface HorizonRun {
  /** Takes what a step added; returns the tokens, of four characters, of the prompt that the model would get next. */
  step(added: readonly BaseMessage[]): Promise<number>;
  /** Returns the text of that prompt. */
  prompt(): string;
  /** Returns what the agent's own search tool answers to a name; absent when the system has no such tool. */
  readonly search?: (name: string) => Promise<string>;
  /** Bytes outside the process. @default none */
  readonly storedBytes?: () => number;
  readonly close?: () => void;
}

export interface HorizonSystem {
  readonly name: string;
  /** Starts a session with a model that takes `window` tokens. */
  start(options: { readonly window: number }): HorizonRun;
}

import type { BaseMessage } from "@langchain/core/messages";
import type { ModelCall } from "../world/world-model.js";
import type { World } from "../world/world.js";

/** An agent of some system in a world, as seen from outside. */
export interface Agent {
  /** Every call of its model, oldest first. */
  readonly calls: readonly ModelCall[];
  /** Errors that ended a run. */
  readonly deaths: readonly unknown[];
  /** Resolves when the run has ended, with or without an error. */
  run(messages: readonly BaseMessage[], thread?: string): Promise<void>;
  /** Returns the text of the run's message stream, as a user reads it. */
  watch(messages: readonly BaseMessage[]): Promise<string>;
  /** Replaces what the state of a thread holds, as an application may. */
  edit(messages: readonly BaseMessage[]): Promise<void>;
  /** Returns the messages in the state of a thread. */
  messages(thread?: string): Promise<readonly BaseMessage[]>;
  /** Returns path -> text of all files that the agent of a thread can read. */
  files(thread?: string): Promise<ReadonlyMap<string, string>>;
  /** Returns the messages that the last run returned; none before one has ended well. */
  returned(): readonly BaseMessage[];
  /** Runs only the system's context management before a model call. */
  prepare(messages: readonly BaseMessage[]): unknown;
  /** Returns the bytes that its checkpointer holds. */
  storedBytes(): number;
  close(): void;
}

/** How a system is set up beyond its defaults. */
export interface AgentOptions {
  /** The system's own storage of the default kind instead of a directory. @default false */
  readonly defaultStorage?: boolean;
  /** The messages are in a `MessagesDeltaValue`. @default false */
  readonly delta?: boolean;
  /** The agent is a node of a larger graph, which keeps the messages. @default false */
  readonly nested?: boolean;
}

export type BuildAgent = (world: World, options?: AgentOptions) => Agent;

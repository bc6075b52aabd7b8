import type { BaseMessage } from "@langchain/core/messages";
import type { VirtualFilesystem } from "@palimpsest/vfs";

export interface PlayOptions {
  readonly files: VirtualFilesystem;
  readonly window: number;
  readonly steps: number;
  /** Called with what the model is sent. */
  readonly onPrompt: (messages: readonly BaseMessage[]) => void;
  /** Called before the last step, with the context that the state holds. */
  readonly beforeLast?: (context: readonly BaseMessage[]) => void;
  /** What a client puts into the state: messages before a step, or the channel `compaction`. @default nothing */
  readonly client?: {
    readonly messages?: readonly BaseMessage[];
    readonly compaction?: unknown;
  };
}

/** Plays the script of an agent, and returns the context that the state holds at the end. */
export type Play = (options: PlayOptions) => Promise<readonly BaseMessage[]>;

export interface AttackedHost {
  readonly name: string;
  readonly play: Play;
}

/** The thread of every run. */
export const threadConfig = { configurable: { thread_id: "t" } };
/** What a client sends comes in front of this step. */
export const clientStep = 12;

import type { BaseMessage } from "@langchain/core/messages";
import type { VirtualFilesystem } from "@palimpsest/vfs";

/** What an operation works on and what it may change. */
export interface FuzzState {
  readonly messages: readonly BaseMessage[];
  /** The context, where it has a channel of its own. */
  readonly context?: readonly BaseMessage[];
  readonly compaction?: unknown;
}

export interface FuzzWorld {
  readonly files: VirtualFilesystem;
  readonly threadId: string;
  readonly view: boolean;
  readonly channel: boolean;
}

/** Something that changes a context: a node, an error handler. */
export interface Operation {
  /** Name and options, to be read in a counterexample. */
  readonly name: string;
  readonly run: (state: FuzzState, world: FuzzWorld) => Promise<FuzzState>;
}

/** Returns what the model is sent. */
export function contextOf(state: FuzzState, { view }: FuzzWorld): readonly BaseMessage[] {
  return view ? (state.context ?? state.messages) : state.messages;
}

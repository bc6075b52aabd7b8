import type { Backend } from "@palimpsest/vfs";
import type { NodeConfig } from "../run-config.js";

/** What tools need of a memory across threads, such as a `ScopeMemory`. */
export interface ToolMemory {
  /** Returns the scope of a run, or undefined for a run without memory. */
  scopeOf(config: NodeConfig): string | undefined;
  /** Returns the turns of a scope's threads, for a mount. */
  backend(scope: string): Backend;
  /** Returns what the threads of a scope say to a question, one thread left out. */
  search(
    scope: string,
    query: string,
    options: { readonly limit: number; readonly except: string },
  ): Promise<MemoryHits>;
}

/** What other threads say to a question. */
export interface MemoryHits {
  /** Facts in one line, the oldest first; an older one never without newer ones of its subject. */
  readonly notes: readonly MemoryHit[];
  /** The best first. */
  readonly passages: readonly MemoryHit[];
}

/** Words of another thread. */
export interface MemoryHit {
  readonly threadId: string;
  readonly text: string;
  /** The file with the turn, as the agents of the scope read it. Of a search: `/threads/<short name>/<turn>.md`. */
  readonly path: string;
  /** First line of the words in the file, from 1. */
  readonly line: number;
  /** ISO 8601 time of the turn. */
  readonly at: string;
  /** Id of the message, if it has one. */
  readonly messageId?: string;
}

/** Where the turns of the scope's threads are. */
export const memoryMount = "/threads/";

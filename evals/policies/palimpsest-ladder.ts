import { compactionNode, type ContextOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour } from "../data/text-of.js";
import { NodeThread } from "../metrics/node-thread.js";
import type { Policy, PolicyRun } from "./policy.js";

export interface LadderRun extends PolicyRun {
  readonly files: VirtualFilesystem;
  /** What a graph passes to the tools of this thread: its config and its state as it is now. */
  readonly config: {
    readonly configurable: { readonly thread_id: string };
    readonly state: Readonly<Record<string, unknown>>;
  };
}

/** The real compaction node with its defaults, in a window of the budget. Without a model, summaries are extracted. */
export const palimpsestLadder: Policy = {
  name: "Palimpsest ladder",
  start: ({ budget }) => ladderRun(budget),
};

/** Returns a run of the real compaction node over a thread of its own. */
export function ladderRun(window: number, options: Partial<ContextOptions> = {}): LadderRun {
  const files = VirtualFilesystem.inMemory();
  const node = compactionNode({
    files,
    contextWindow: window,
    // Budgets are in tokens of four characters, and the other systems count no tokens around a call either.
    tokenCounter: charsOverFour,
    ...options,
  });
  const thread = new NodeThread(node);
  return {
    files,
    get config() {
      return { ...thread.config, state: thread.state };
    },
    context: (added) => thread.step(added),
  };
}

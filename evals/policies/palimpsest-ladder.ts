import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { tokenCounterFrom } from "@palimpsest/context";
import { compactionNode, type ContextOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Policy, PolicyRun } from "./policy.js";

export interface LadderRun extends PolicyRun {
  readonly files: VirtualFilesystem;
  /** The config with which a graph calls the nodes and tools of this thread. */
  readonly config: { readonly configurable: { readonly thread_id: string } };
}

/** Budgets are in tokens of four characters, for every policy: so the node counts in them as well. */
const tokenCounter = tokenCounterFrom((text) => Math.ceil(text.length / 4));
/** Share of the window over which a result is offloaded, where the default of 20,000 tokens is more. */
const offloadShare = 1 / 8;

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
    tokenCounter,
    offloadTokens: Math.min(20_000, window * offloadShare),
    ...options,
  });
  const config = { configurable: { thread_id: "thread" } };
  let state: Record<string, unknown> = { messages: [] };
  return {
    files,
    config,
    async context(added) {
      const before = [...(state["messages"] as BaseMessage[]), ...added];
      const update = await node({ ...state, messages: before }, config);
      const { messages } = update;
      const after = Overwrite.isInstance<BaseMessage[]>(messages) ? messages.value : before;
      state = { ...state, ...update, messages: after };
      return after;
    },
  };
}

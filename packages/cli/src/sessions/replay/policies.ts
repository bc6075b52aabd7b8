import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import {
  compactionNode,
  predictiveContextNode,
  type ContextOptions,
  type GraphNode,
} from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";

/** Options of the node that a policy sets. */
export type Settings = Pick<ContextOptions, "trigger" | "keep" | "limits">;

type Make = (window: number) => GraphNode;

const compaction =
  (settings: Settings): Make =>
  (contextWindow) =>
    compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow, ...settings });

/** The policies of `replay`, by name. */
export const policies: Readonly<Record<string, Make>> = {
  default: compaction({}),
  offload: compaction({ limits: { offload: 2_000 } }),
  early: compaction({ trigger: { fraction: 0.6 }, keep: { fraction: 0.2 } }),
  predictive: (contextWindow) =>
    predictiveContextNode({ files: VirtualFilesystem.inMemory(), contextWindow }),
};

/** Returns a node with settings, for a search. */
export function nodeWith(settings: Settings, window: number): GraphNode {
  return compaction(settings)(window);
}

/** Yields each answer of a run with the prompt that a node makes of what came before it. */
export async function* promptsOf(
  messages: readonly BaseMessage[],
  node: GraphNode,
): AsyncGenerator<{ readonly answer: BaseMessage; readonly prompt: readonly BaseMessage[] }> {
  const config = { configurable: { thread_id: "replay" } };
  let state: Record<string, unknown> = { messages: [] };
  for (const message of messages) {
    if (message.getType() === "ai") {
      const update: Record<string, unknown> = { ...(await node(state, config)) };
      const { messages: changed } = update;
      const list = Overwrite.isInstance<BaseMessage[]>(changed) ? changed.value : state["messages"];
      const compaction = { ...(state["compaction"] as object), ...(update["compaction"] as object) };
      state = { ...state, ...update, compaction, messages: list };
      yield { answer: message, prompt: state["messages"] as readonly BaseMessage[] };
    }
    state = { ...state, messages: [...(state["messages"] as readonly BaseMessage[]), message] };
  }
}

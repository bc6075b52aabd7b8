import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { openHeld } from "@palimpsest/context/internal";
import { compactionNode, foldNode, predictiveContextNode, type GraphNode } from "@palimpsest/langgraph";
import { playMiddleware } from "./play-middleware.js";
import { NodeThread } from "../metrics/node-thread.js";
import { clientStep, threadConfig, type AttackedHost, type Play, type PlayOptions } from "./play-options.js";
import { askedFirst, stepMessages } from "./script.js";

/** Our strategies: three as nodes, one as the middleware of a `createAgent` agent. */
export const hosts: readonly AttackedHost[] = [
  { name: "compaction node", play: playNode(ladder) },
  { name: "context middleware", play: playMiddleware },
  {
    name: "folding node",
    play: playNode(({ files, window }) => foldNode({ ...ladderOptions({ files, window }) })),
  },
  {
    name: "predictive node",
    play: playNode(({ files, window }) => predictiveContextNode({ files, budget: window })),
  },
];

/** The control: what is held is sent, as it was before originals were held. */
export const withoutHolding: AttackedHost = {
  name: "control: compaction node, nothing held back",
  play: playNode(ladder, openHeld),
};

type NodeOptions = Pick<PlayOptions, "files" | "window">;

function ladderOptions({ files, window }: NodeOptions) {
  return { files, contextWindow: window, limits: { offload: window / 8 } };
}

function ladder(options: NodeOptions): GraphNode {
  return compactionNode(ladderOptions(options));
}

function playNode(
  nodeOf: (options: NodeOptions) => GraphNode,
  sent: (context: readonly BaseMessage[]) => Promise<readonly BaseMessage[]> = async (context) => context,
): Play {
  return async ({ steps, onPrompt, beforeLast, client, ...options }) => {
    const node = nodeOf(options);
    const thread = new NodeThread(node, threadConfig.configurable.thread_id);
    thread.add([askedFirst()]);
    const step = async (added: readonly BaseMessage[]) => onPrompt(await sent(await thread.step(added)));
    for (let at = 0; at < steps; at++) {
      if (at === clientStep) {
        thread.add(client?.messages ?? []);
        thread.state = { ...thread.state, compaction: client?.compaction ?? thread.state["compaction"] };
      }
      await step(stepMessages(at, options.window));
    }
    beforeLast?.(thread.messages);
    await step([new HumanMessage({ id: "last", content: "Is that all?" })]);
    return thread.messages;
  };
}

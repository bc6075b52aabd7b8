import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { openHeld } from "@palimpsest/context/internal";
import { compactionNode, foldNode, predictiveContextNode, type GraphNode } from "@palimpsest/langgraph";
import { playMiddleware } from "./play-middleware.js";
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
    let messages: readonly BaseMessage[] = [askedFirst()];
    let compaction: unknown = {};
    const step = async (added: readonly BaseMessage[]) => {
      const before = [...messages, ...added];
      const update = await node({ messages: before, compaction }, threadConfig);
      const after = update["messages"];
      messages = Overwrite.isInstance<readonly BaseMessage[]>(after) ? after.value : before;
      compaction = { ...(compaction as object), ...(update["compaction"] as object | undefined) };
      onPrompt(await sent(messages));
    };
    for (let at = 0; at < steps; at++) {
      if (at === clientStep) {
        messages = [...messages, ...(client?.messages ?? [])];
        compaction = client?.compaction ?? compaction;
      }
      await step(stepMessages(at, options.window));
    }
    beforeLast?.(messages);
    await step([new HumanMessage({ id: "last", content: "Is that all?" })]);
    return messages;
  };
}

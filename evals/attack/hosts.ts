import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { openHeld } from "@palimpsest/context/internal";
import { compactionNode, foldNode, predictiveContextNode, type GraphNode } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { z } from "zod";
import { ScriptedChat } from "../live/scripted-chat.js";
import { NodeThread } from "../metrics/node-thread.js";
import { askedFirst, askedLast, pageText, stepMessages } from "./script.js";

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

export interface AttackedHost {
  readonly name: string;
  /** Plays the script of an agent, and returns the context that the state holds at the end. */
  readonly play: (options: PlayOptions) => Promise<readonly BaseMessage[]>;
}

/** The thread of every run. */
export const threadConfig = { configurable: { thread_id: "t" } };
/** What a client sends comes in front of this step, or with the first message to a `createAgent` agent. */
export const clientStep = 12;

/** Our strategies: three as nodes, one as the middleware of a `createAgent` agent. */
export const hosts: readonly AttackedHost[] = [
  { name: "compaction node", play: playNode(ladder) },
  { name: "context middleware", play: playMiddleware },
  {
    name: "folding node",
    play: playNode((options) => foldNode(ladderOptions(options))),
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
): AttackedHost["play"] {
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
    await step([askedLast()]);
    return thread.messages;
  };
}

/** Plays the script through a `createAgent` agent. */
async function playMiddleware(play: PlayOptions): Promise<readonly BaseMessage[]> {
  const { window, steps, onPrompt, beforeLast, client } = play;
  let calls = 0;
  // Reads one page after the other, and then says that it has.
  const model = new ScriptedChat((prompt) => {
    onPrompt(prompt);
    const at = calls++;
    const [call] = stepMessages(at, window);
    return at < steps ? (call as AIMessage) : new AIMessage({ id: `done-${at}`, content: "All are read." });
  }, window);
  const readPage = tool(({ page }) => pageText(page, window), {
    name: "read_page",
    description: "Reads a page.",
    schema: z.object({ page: z.number() }),
  });
  const agent = createAgent({
    model,
    tools: [readPage],
    middleware: [contextMiddleware({ ...ladderOptions(play), summaryModel: "none" })],
    checkpointer: new MemorySaver(),
  });
  const config = { ...threadConfig, recursionLimit: 10 * steps + 100 };
  const sent = { messages: [askedFirst(), ...(client?.messages ?? [])] };
  const forged = client?.compaction === undefined ? {} : { compaction: client.compaction };
  const worked = await agent.invoke({ ...sent, ...forged } as typeof sent, config);
  beforeLast?.(worked.messages);
  return (await agent.invoke({ messages: [askedLast()] }, config)).messages;
}

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextOptions } from "../options/context-options.js";
import { contextState } from "../run/context-state.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { maskToolResultsNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { readThread } from "../threads/read-thread.js";
import { inThread } from "./agent-graph.js";
import { readPageTool, reasoningPrompt, reasoningServer, type ReasoningProvider } from "./reasoning-agent.js";

const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  foldNode,
  predictiveContextNode: ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000 }),
  "predictiveContextNode, policy pace": ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000, policy: "pace" }),
};
/** Every node with every provider, streaming or not. */
export const readings = Object.keys(nodes).flatMap((name) =>
  (["anthropic", "openai"] as const).flatMap((provider) =>
    [false, true].map((streaming) => ({ name, provider, streaming })),
  ),
);

export interface Played {
  readonly name: string;
  readonly provider: ReasoningProvider;
  readonly streaming: boolean;
  /** Pages that the model reads. */
  readonly steps: number;
  /** @default "v0" */
  readonly outputVersion?: "v0" | "v1";
  /** Changes messages between the graph and the client. @default no change */
  readonly form?: MessageForm;
}

/** How another client represents the messages of a provider. */
export interface MessageForm {
  readonly received: (reply: BaseMessage) => BaseMessage;
  readonly sent: (message: BaseMessage) => BaseMessage;
}

type Reasoning = Readonly<Record<string, string>>;

/** The blocks of `ChatBedrockConverse` (@langchain/aws 1.4.5) for the thinking of Claude. Its replies name no model. */
export const bedrockForm: MessageForm = {
  received: (reply) =>
    mapContent(reply, "thinking", ({ thinking, signature }) => ({
      type: "reasoning_content",
      reasoningText: { text: thinking, signature },
    })),
  sent: (message) =>
    mapContent(message, "reasoning_content", ({ reasoningText }) => {
      const { text, signature } = reasoningText as unknown as Reasoning;
      return { type: "thinking", thinking: text, signature };
    }),
};

function mapContent(
  message: BaseMessage,
  type: string,
  change: (block: Reasoning) => Readonly<Record<string, unknown>>,
): BaseMessage {
  if (!AIMessage.isInstance(message) || typeof message.content === "string") return message;
  const blocks = message.content as readonly Reasoning[];
  const content = blocks.map((block) => (block["type"] === type ? change(block) : block));
  const { id, tool_calls = [] } = message;
  return new AIMessage({
    ...(id !== undefined && { id }),
    tool_calls,
    content: content as never,
    response_metadata: { model_provider: "bedrock-converse" },
  });
}

/** Reads pages of about 1,500 tokens with the real client of a provider, in a window of 16,000 tokens. */
export async function readPages({ name, provider, streaming, steps, form, outputVersion = "v0" }: Played) {
  const server = await reasoningServer(provider, steps);
  const model = server.model({ streaming, outputVersion }).bindTools([readPageTool]);
  const rewrittenBefore: number[] = [];
  const options: ContextOptions = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 16_000,
    onEvent({ type }) {
      if (type === "context.fold") rewrittenBefore.push(server.calls.length);
    },
  };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => {
      const reply = await model.invoke(form === undefined ? messages : messages.map(form.sent));
      return { messages: [form?.received(reply) ?? reply] };
    })
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", nodes[name]!(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  const thread = await readThread(graph, inThread("t"), options);
  await server.close();
  const lost = server.calls.flatMap(({ reasoning }, call) =>
    call > 0 && reasoning !== (server.calls[call - 1]?.reasoning ?? 0) + 1 ? [call] : [],
  );
  return { calls: server.calls, thread, rewrittenBefore: new Set(rewrittenBefore), lost };
}

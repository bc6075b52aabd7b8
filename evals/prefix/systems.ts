import type { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionNode,
  contextState,
  foldNode,
  predictiveContextNode,
  type GraphNode,
} from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createDeepAgent } from "deepagents";
import {
  contextEditingMiddleware,
  createAgent,
  summarizationMiddleware,
  type AgentMiddleware,
} from "langchain";
import type { PrefixSystem } from "./play.js";

/** Its declared type is `never` under this TypeScript. */
type SummarizationOptions = Parameters<typeof summarizationMiddleware>[0];

const config = { configurable: { thread_id: "prefix" }, recursionLimit: 10_000 };

/** Every system with its defaults, as one would add it to an agent. */
export const prefixSystems: readonly PrefixSystem[] = [
  withNode("compactionNode", (window) => compactionNode({ files: files(), contextWindow: window })),
  withNode("compactionNode, summaries by the model", (_, model) => compactionNode({ files: files(), model })),
  ...[undefined, 1, 4, 16].flatMap((steps) => {
    const every = steps === undefined ? {} : { every: steps };
    const name = steps === undefined ? "" : `, every ${steps}`;
    return [
      withNode(`foldNode${name}`, (window) => foldNode({ files: files(), contextWindow: window, ...every })),
      withNode(`predictiveContextNode${name}`, (window) =>
        predictiveContextNode({ files: files(), budget: window / 2, ...every }),
      ),
      withNode(`predictiveContextNode, PACE${name}`, (window) =>
        predictiveContextNode({ files: files(), budget: window / 2, policy: "pace", ...every }),
      ),
    ];
  }),
  withMiddleware("contextMiddleware", true, (contextWindow) =>
    contextMiddleware({ files: files(), contextWindow }),
  ),
  withMiddleware("contextMiddleware, agent-controlled", true, (contextWindow) =>
    contextMiddleware({ files: files(), contextWindow, agentControlled: true }),
  ),
  {
    name: "deepagents",
    isOurs: false,
    start({ model, tools }) {
      const agent = createDeepAgent({ model, tools: [...tools], checkpointer: new MemorySaver() });
      return { run: ([, ...messages]) => agent.invoke({ messages }, config) };
    },
  },
  withMiddleware("langchain summarization", false, (_, model) =>
    summarizationMiddleware({ model, trigger: { fraction: 0.85 } } as SummarizationOptions),
  ),
  withMiddleware("langchain context editing", false, () => contextEditingMiddleware()),
];

function files() {
  return VirtualFilesystem.inMemory();
}

function withNode(name: string, node: (window: number, model: ChatAnthropic) => GraphNode): PrefixSystem {
  return {
    name,
    isOurs: true,
    start({ model, tools, window }) {
      const bound = model.bindTools([...tools]);
      const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
        .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
        .addNode("tools", new ToolNode([...tools]))
        .addNode("compact", node(window, model))
        .addEdge(START, "compact")
        .addEdge("compact", "model")
        .addConditionalEdges("model", toolsCondition)
        .addEdge("tools", "compact")
        .compile({ checkpointer: new MemorySaver() });
      return { run: (messages) => graph.invoke({ messages: [...messages] }, config) };
    },
  };
}

function withMiddleware(
  name: string,
  isOurs: boolean,
  middleware: (window: number, model: Parameters<typeof createAgent>[0]["model"] & object) => AgentMiddleware,
): PrefixSystem {
  return {
    name,
    isOurs,
    start({ model, tools, window }) {
      const agent = createAgent({
        model,
        tools: [...tools],
        middleware: [middleware(window, model)],
        checkpointer: new MemorySaver(),
        systemPrompt: "You read a book page by page.",
      });
      return { run: ([, ...messages]) => agent.invoke({ messages }, config) };
    },
  };
}

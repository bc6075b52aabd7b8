import { SystemMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import {
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionNode,
  contextState,
  foldNode,
  overflowErrorHandler,
  predictiveContextNode,
  type ContextEvent,
  type GraphNode,
} from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { createDeepAgent } from "deepagents";
import {
  contextEditingMiddleware,
  createAgent,
  summarizationMiddleware,
  type AgentMiddleware,
} from "langchain";
import type { ProviderModel } from "./providers.js";

/** What an agent is built from; a second agent of the same parts goes on where the first one stopped. */
export interface AgentParts {
  readonly model: ProviderModel;
  readonly tools: readonly DynamicStructuredTool[];
  readonly systemPrompt: string;
  readonly contextWindow: number;
  readonly files: VirtualFilesystem;
  readonly checkpointer: BaseCheckpointSaver;
  readonly onEvent: (event: ContextEvent) => void;
}

/** A compiled graph, as far as a run of the suite uses it. */
export interface PrefixAgent {
  invoke(input: object | null, config: object): Promise<unknown>;
  getStateHistory(
    config: object,
  ): AsyncIterable<{ readonly config: object; readonly next: readonly string[] }>;
  getState(config: object): Promise<{ readonly values: unknown }>;
  updateState(config: object, update: object, asNode?: string): Promise<unknown>;
}

export interface PrefixSystem {
  readonly name: string;
  readonly isOurs: boolean;
  /** Options other than the defaults: played in one straight run alone. */
  readonly isVariant?: boolean;
  /** The ladder decides on its own when to compact: the reasoning that it keeps is a requirement. */
  readonly isLadder?: boolean;
  readonly build: (parts: AgentParts) => PrefixAgent;
}

/** Its declared type is `never` under this TypeScript. */
type SummarizationOptions = Parameters<typeof summarizationMiddleware>[0];

/** Trigger and kept part of our ladder and of deepagents, for the middleware that has no default of its own for them. */
const knobs = { trigger: { fraction: 0.85 }, keep: { fraction: 0.1 } };

const ladder = { isOurs: true, isLadder: true };

/** Every system as one would add it to an agent: its defaults, and the same trigger and kept part. */
export const prefixSystems: readonly PrefixSystem[] = [
  { ...withNode("compactionNode", (options) => compactionNode(options)), ...ladder },
  {
    ...withNode("compactionNode, summaries by the model", (options, model) =>
      compactionNode({ ...options, model }),
    ),
    ...ladder,
  },
  withNode("foldNode", (options) => foldNode(options)),
  withNode("predictiveContextNode", (options) => predictiveContextNode(options)),
  withNode("predictiveContextNode, PACE", (options) => predictiveContextNode({ ...options, policy: "pace" })),
  ...[1, 4, 16].flatMap(rareNodes),
  { ...withMiddleware("contextMiddleware", (parts) => contextMiddleware(optionsOf(parts))), ...ladder },
  {
    ...withMiddleware("contextMiddleware, agent-controlled", (parts) =>
      contextMiddleware({ ...optionsOf(parts), agentControlled: true }),
    ),
    isOurs: true,
  },
  {
    name: "deepagents",
    isOurs: false,
    build({ model, tools, systemPrompt, checkpointer }) {
      const agent = createDeepAgent({ model, tools: [...tools], systemPrompt, checkpointer });
      return agent.graph as never;
    },
  },
  withMiddleware("langchain summarization", ({ model }) =>
    summarizationMiddleware({ model, ...knobs } as SummarizationOptions),
  ),
  withMiddleware("langchain context editing", () => contextEditingMiddleware()),
];

/** Returns the nodes that choose the context anew every so many steps. */
function rareNodes(every: number): readonly PrefixSystem[] {
  return [
    withNode(`foldNode, every ${every}`, (options) => foldNode({ ...options, every })),
    withNode(`predictiveContextNode, every ${every}`, (options) =>
      predictiveContextNode({ ...options, every }),
    ),
  ].map((node) => ({ ...node, isVariant: true }));
}

/** Returns the options that each of ours takes. */
function optionsOf({ files, contextWindow, onEvent }: AgentParts) {
  return { files, contextWindow, onEvent, summaryModel: "none" as const };
}

type NodeOptions = Pick<AgentParts, "files" | "contextWindow" | "onEvent">;

function withNode(
  name: string,
  node: (options: NodeOptions, model: ProviderModel) => GraphNode,
): PrefixSystem {
  return {
    name,
    isOurs: true,
    build({ model, tools, systemPrompt, checkpointer, files, contextWindow, onEvent }) {
      const bound = model.bindTools([...tools]);
      const system = new SystemMessage(systemPrompt);
      const options = { files, contextWindow, onEvent };
      const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
        .addNode(
          "model",
          async ({ messages }) => ({ messages: [await bound.invoke([system, ...messages])] }),
          {
            errorHandler: overflowErrorHandler(options),
            ends: ["model"],
          },
        )
        .addNode("tools", new ToolNode([...tools]))
        .addNode("compact", node(options, model))
        .addEdge(START, "compact")
        .addEdge("compact", "model")
        .addConditionalEdges("model", toolsCondition)
        .addEdge("tools", "compact")
        .compile({ checkpointer });
      return graph;
    },
  };
}

function withMiddleware(name: string, middleware: (parts: AgentParts) => AgentMiddleware): PrefixSystem {
  return {
    name,
    isOurs: false,
    build(parts) {
      const { model, tools, systemPrompt, checkpointer } = parts;
      const given = { model, tools: [...tools], systemPrompt, checkpointer };
      return createAgent({ ...given, middleware: [middleware(parts)] }).graph as never;
    },
  };
}

import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createHandoffTool, createSwarm, SwarmState } from "@langchain/langgraph-swarm";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { VfsSaver } from "@palimpsest/checkpoint";
import type { Lane } from "@palimpsest/context";
import {
  compactionNode,
  contextAnnotation,
  fileTools,
  searchHistoryTool,
  unfoldTool,
} from "@palimpsest/langgraph";
import { archiveBackend, contextMiddleware } from "@palimpsest/langgraph/middleware";
import { RecallIndex } from "@palimpsest/recall";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent } from "langchain";
import { z } from "zod";
import { RoleModel, type Call } from "./role-model.js";

/** A line that the first lines of the page show, and one that only the archive has. */
export const headline = "HEADLINE-17 opens the page";
export const needle = "NEEDLE-4711 stands in line 300";

const lines = Array.from({ length: 600 }, (_, line) =>
  line === 0 ? headline : line === 300 ? needle : `line ${line} of the page says ${line * 7919}`,
);

/** Returns a page that is too large for the context. */
const page = tool(() => lines.join("\n"), {
  name: "page",
  description: "Returns the page.",
  schema: z.object({}),
});

export const thread = "t1";
const config = { configurable: { thread_id: thread }, recursionLimit: 100 };
const limits = { offload: 1_000 };

/** The state that a run of a host returns. */
export interface HostState {
  readonly messages: readonly BaseMessage[];
}

/** Agents in one thread: a researcher with a lane, one that asks it, and one beside it. */
export interface LaneHost {
  /** Lets the host work on a message. */
  readonly say: (text: "research" | "ask" | "ask a sibling") => Promise<HostState>;
  /** The agent that called the researcher. */
  readonly caller: RoleModel;
  /** An agent beside the researcher. */
  readonly sibling: RoleModel;
}

export interface HostParts {
  readonly saver: VfsSaver;
  readonly lane: Lane | undefined;
}

/** The calls with which an agent looks for what the researcher has archived: every tool, and every path of its files. */
async function probes({ saver }: HostParts, file = "path"): Promise<Call[]> {
  const paths: string[] = [];
  for await (const { path } of saver.files.archive(thread).list()) paths.push(path);
  const guessed = [...paths, ...paths.map((path) => path.replace("/lanes/researcher", ""))];
  return [
    ...guessed.flatMap((path) => [
      { name: "read_file", args: { [file]: path } },
      { name: "read_file", args: { [file]: path, offset: 290, limit: 20 } },
      { name: "unfold", args: { fold: path, limit: 1_000 } },
      { name: "unfold", args: { fold: path, offset: lines.slice(0, 290).join("\n").length, limit: 1_000 } },
    ]),
    ...["/", "/context/", "/context/lanes/", "/context/lanes/researcher/"].flatMap((path) => [
      { name: "grep", args: { pattern: "4711", path } },
      { name: "grep", args: { pattern: "HEADLINE", path } },
      { name: "glob", args: { pattern: "**/*", path } },
      { name: "ls", args: { path } },
    ]),
    { name: "search_history", args: { query: "NEEDLE-4711 stands in line" } },
    { name: "search_history", args: { query: "HEADLINE-17 opens" } },
  ];
}

function modelsOf(parts: HostParts, delegate: (to: string) => Call, file?: string) {
  const researcher = new RoleModel("researcher", () => [{ name: "page", args: {} }]);
  const sibling = new RoleModel("sibling", async () => probes(parts, file));
  const caller = new RoleModel("caller", async (asked) => {
    if (asked === "research") return [delegate("researcher")];
    return asked === "ask" ? probes(parts, file) : [delegate("sibling")];
  });
  return { researcher, sibling, caller };
}

function toolsOf({ files }: VfsSaver, index: RecallIndex, lane?: Lane) {
  const options = { files, ...(lane && { lane }) };
  return [...fileTools(options), unfoldTool(options), searchHistoryTool({ ...options, index })];
}

const stateSchema = Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation });
const window = { contextWindow: 100_000, limits };

const siblingLane: Lane = { name: "sibling", share: "all" };

interface AgentParts {
  readonly saver: VfsSaver;
  readonly index: RecallIndex;
}

/** Returns an agent whose node compacts before each model call. */
function reactAgent(model: RoleModel, { saver, index }: AgentParts, lane?: Lane) {
  const options = { files: saver.files, ...window, ...(lane && { lane }) };
  return createReactAgent({
    name: model.role,
    llm: model,
    tools: [page, ...toolsOf(saver, index, lane)],
    stateSchema,
    preModelHook: compactionNode(options),
  });
}

function sayIn(graph: { invoke(input: never, config: never): Promise<unknown> }): LaneHost["say"] {
  return async (text) => {
    const state = await graph.invoke({ messages: [new HumanMessage(text)] } as never, config as never);
    return state as HostState;
  };
}

function supervisor(parts: HostParts): LaneHost {
  const index = RecallIndex.inMemory();
  const models = modelsOf(parts, (to) => ({ name: `transfer_to_${to}`, args: {} }));
  const { saver } = parts;
  const graph = createSupervisor({
    agents: [
      reactAgent(models.researcher, { saver, index }, parts.lane),
      reactAgent(models.sibling, { saver, index }, siblingLane),
    ],
    llm: models.caller,
    tools: toolsOf(saver, index),
    stateSchema,
    preModelHook: compactionNode({ files: saver.files, ...window }),
    outputMode: "last_message",
  }).compile({ checkpointer: saver });
  return { ...models, say: sayIn(graph) };
}

/** The agents of a swarm share their messages: the one that hands over is also the one beside. */
function swarm(parts: HostParts): LaneHost {
  const index = RecallIndex.inMemory();
  const { saver } = parts;
  const files = { files: saver.files, ...window };
  const caller = new RoleModel("caller", async (asked) =>
    asked === "research" ? [{ name: "transfer_to_researcher", args: {} }] : probes(parts),
  );
  const researcher = new RoleModel("researcher", (asked) =>
    asked === "research" ? [{ name: "page", args: {} }] : [{ name: "transfer_to_caller", args: {} }],
  );
  const agentOf = (model: RoleModel, to: string, lane?: Lane) =>
    createReactAgent({
      name: model.role,
      llm: model,
      tools: [page, createHandoffTool({ agentName: to }), ...toolsOf(saver, index, lane)],
      stateSchema,
      preModelHook: compactionNode({ ...files, ...(lane && { lane }) }),
    });
  const graph = createSwarm({
    // Its types ask for agents that have the state of a swarm alone.
    agents: [agentOf(caller, "researcher"), agentOf(researcher, "caller", parts.lane)] as never[],
    defaultActiveAgent: "caller",
    stateSchema: Annotation.Root({ ...SwarmState.spec, ...contextAnnotation }),
  }).compile({ checkpointer: saver });
  return { caller, sibling: caller, say: sayIn(graph) };
}

function task(to: string): Call {
  return { name: "task", args: { description: "Do it.", subagent_type: to } };
}

function deepAgents(parts: HostParts): LaneHost {
  const { saver } = parts;
  const { files } = saver;
  const index = RecallIndex.inMemory();
  const models = modelsOf(parts, task, "file_path");
  const middleware = (lane?: Lane) =>
    contextMiddleware({ files, host: "deepagents", summaryModel: "none", limits, ...(lane && { lane }) });
  const subagent = (model: RoleModel, lane: Lane | undefined) => ({
    name: model.role,
    description: model.role,
    systemPrompt: `You are the ${model.role}.`,
    model,
    // The same tools for all: the middleware around a call says whose it is.
    tools: [page, unfoldTool({ files }), searchHistoryTool({ files, index })],
    middleware: [middleware(lane)],
  });
  const agent = createDeepAgent({
    model: models.caller,
    tools: [unfoldTool({ files }), searchHistoryTool({ files, index })],
    checkpointer: saver,
    subagents: [subagent(models.researcher, parts.lane), subagent(models.sibling, siblingLane)],
    backend: new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) }),
    middleware: [middleware()],
  });
  return { ...models, say: sayIn(agent as never) };
}

/** Agents as nodes of one graph, which share its messages. */
function nestedAgents(parts: HostParts): LaneHost {
  const { saver } = parts;
  const { files } = saver;
  const index = RecallIndex.inMemory();
  const models = modelsOf(parts, (to) => ({ name: to, args: {} }));
  const agentOf = (model: RoleModel, lane?: Lane) => {
    const options = { files, summaryModel: "none" as const, limits, ...(lane && { lane }) };
    return createAgent({
      name: model.role,
      model,
      tools: [page, unfoldTool(options), searchHistoryTool({ ...options, index })],
      middleware: [contextMiddleware(options)],
    }).graph;
  };
  const routes: Readonly<Record<string, string>> = { research: "researcher", ask: "caller" };
  const graph = new StateGraph(stateSchema)
    .addNode("researcher", agentOf(models.researcher, parts.lane) as never)
    .addNode("caller", agentOf(models.caller) as never)
    .addNode("sibling", agentOf(models.sibling, siblingLane) as never)
    .addConditionalEdges(START, ({ messages }) => routes[messages.at(-1)?.text ?? ""] ?? "sibling", [
      "researcher",
      "caller",
      "sibling",
    ])
    .addEdge("researcher", END)
    .addEdge("caller", END)
    .addEdge("sibling", END)
    .compile({ checkpointer: saver });
  return { ...models, say: sayIn(graph) };
}

export const laneHosts = { supervisor, swarm, deepAgents, nestedAgents };

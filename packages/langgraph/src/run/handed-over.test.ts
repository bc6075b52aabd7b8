import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { estimateTokens, toolCalls } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { withCompaction } from "../nodes/with-compaction.js";
import type { GraphNode } from "../nodes/step-node.js";
import type { ContextOptions } from "../options/context-options.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { contextAnnotation } from "./context-state.js";
import { contextIn } from "./node-state.js";

const contextWindow = 4_000;
const question = (turn: number) => new HumanMessage({ id: `q${turn}`, content: "Go on." });
const nothing: GraphNode = async () => ({});
type Model = (state: object) => Promise<{ messages: BaseMessage[] }>;

/** How a graph keeps the context beside the thread. */
interface Host {
  readonly options: Pick<ContextOptions, "keepThread" | "outputKey">;
  readonly channels: typeof contextAnnotation | object;
  readonly isInside?: boolean;
  /** A condition leads to the node, or past it. */
  readonly isRouted?: boolean;
}

const hosts: Readonly<Record<string, Host>> = {
  "compactionNode with keepThread": { options: { keepThread: true }, channels: contextAnnotation },
  "withCompaction with keepThread": {
    options: { keepThread: true },
    channels: contextAnnotation,
    isInside: true,
  },
  "compactionCondition with keepThread": {
    options: { keepThread: true },
    channels: contextAnnotation,
    isRouted: true,
  },
  "compactionNode with an outputKey": { options: { outputKey: "context" }, channels: contextAnnotation },
  "compactionNode without the channel": { options: { outputKey: "context" }, channels: {} },
};

/** Reads a page at each step, hands over at every 13th, and answers at every 21st. */
function reading(): ScriptedModel {
  return new ScriptedModel((_, call) => {
    const calls = [{ id: `c${call}`, name: call % 13 === 12 ? "hand_over" : "read", args: {} }];
    return new AIMessage({
      id: `a${call}`,
      content: `Step ${call}.`,
      tool_calls: call % 21 === 20 ? [] : calls,
    });
  });
}

/** Runs the call of the newest message: a hand-over takes the messages along, and nothing else of the state. */
function runTools({ messages }: { readonly messages: readonly BaseMessage[] }, other: string) {
  const [call] = toolCalls(messages.at(-1)!);
  const { id = "", name = "" } = call ?? {};
  const result = new ToolMessage({
    id: `r-${id}`,
    name,
    tool_call_id: id,
    content: filler(250, Number(id.slice(1))),
  });
  return name === "read"
    ? { messages: [result] }
    : new Command({ goto: other, graph: Command.PARENT, update: { messages: [...messages, result] } });
}

function played(host: Host) {
  const events: ContextEvent[] = [];
  const scripted = reading();
  const onEvent = (event: ContextEvent) => void events.push(event);
  const files = VirtualFilesystem.inMemory();
  const options: ContextOptions = { files, contextWindow, summaryModel: "none", onEvent, ...host.options };
  const channels = { ...MessagesAnnotation.spec, context: Annotation<BaseMessage[]>(), ...host.channels };
  const State = Annotation.Root(channels);
  const model: Model = async (state) => {
    const { messages } = state as { readonly messages: BaseMessage[] };
    const sent = host.isInside === true ? messages : contextIn(state, options);
    return { messages: [await scripted.invoke([...sent])] };
  };
  const route = host.isRouted === true ? compactionCondition(options) : () => "compact" as const;
  const agent = (other: string) =>
    new StateGraph(State)
      .addNode("compact", host.isInside === true ? nothing : compactionNode(options))
      .addNode("model", (host.isInside === true ? withCompaction(model, options) : model) as never)
      .addNode("tools", ((state: never) => runTools(state, other)) as never)
      .addConditionalEdges(START, route, ["compact", "model"])
      .addEdge("compact", "model")
      .addConditionalEdges("model", ({ messages }) =>
        toolCalls(messages.at(-1)!).length > 0 ? "tools" : "__end__",
      )
      .addConditionalEdges("tools", route, ["compact", "model"])
      .compile();
  const graph = new StateGraph(State)
    .addNode("alice", agent("bob") as never, { ends: ["bob"] })
    .addNode("bob", agent("alice") as never, { ends: ["alice"] })
    .addEdge(START, "alice")
    .compile({ checkpointer: new MemorySaver() });
  return { graph, events, prompts: scripted.prompts };
}

it.each(Object.keys(hosts))(
  "%s: an agent that takes over another's messages without its context stays in its window",
  async (name) => {
    const { graph, events, prompts } = played(hosts[name]!);
    for (let turn = 0; turn < 4; turn++) await graph.invoke({ messages: [question(turn)] }, inThread(name));
    expect(events.filter(({ type }) => type === "context.compaction").length).toBeGreaterThan(2);
    expect(Math.max(...prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(contextWindow);
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
  },
);

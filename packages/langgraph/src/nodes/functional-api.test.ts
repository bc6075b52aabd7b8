import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  entrypoint,
  getPreviousState,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  task,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { compactionNode } from "./compaction-node.js";
import { withCompaction } from "./with-compaction.js";

interface Messages {
  readonly messages: readonly BaseMessage[];
}

const messages = history({ steps: 20, result: (step) => filler(300, step) });
const compact = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 4_000 });
const state = { messages, compaction: {} };
const listOf = (update: object) => (update as { readonly messages: BaseMessage[] }).messages;

it("a node returns a plain list in the functional API, where no reducer takes an overwrite", async () => {
  const direct = entrypoint({ name: "direct" }, async (_: string, config) =>
    listOf(await compact(state, config)),
  );
  const inTask = task("compact", async (_question: string) => compact(state));
  const tasked = entrypoint({ name: "tasked" }, async (question: string) => listOf(await inTask(question)));
  for (const agent of [direct, tasked]) {
    const list = await agent.invoke("go", inThread("t"));
    expect(Array.isArray(list)).toBe(true);
    expect(list.length).toBeLessThan(messages.length);
    expect(list.some((message) => foldOf(message) !== undefined)).toBe(true);
  }
});

it("a node that a graph calls without its config still replaces the messages, in the archive of the thread", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = compactionNode({ files, contextWindow: 4_000 });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", async (given) => node(given) as Promise<object>)
    .addEdge(START, "compact")
    .compile({ checkpointer: new MemorySaver() });
  const { messages: left } = await graph.invoke({ messages }, inThread("t"));
  expect(left.length).toBeLessThan(messages.length);
  const whole = await readThread(graph, inThread("t"), { files });
  expect(whole.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
});

describe("a model call with compaction in the functional API", () => {
  const window = 4_000;
  const model = new ScriptedModel((_, call) => new AIMessage({ id: `a${call}`, content: filler(100, call) }));
  const fitted = withCompaction(
    async (state: Messages, _config?: LangGraphRunnableConfig): Promise<Messages> => ({
      messages: [await model.invoke([...state.messages])],
    }),
    { files: VirtualFilesystem.inMemory(), contextWindow: window },
  );
  const ask = task("ask", async (list: readonly BaseMessage[]) => fitted({ messages: list }));
  type Reply = (list: readonly BaseMessage[], config: LangGraphRunnableConfig) => Promise<Messages>;
  const forms: Readonly<Record<string, Reply>> = {
    "in the entrypoint": async (list, config) => fitted({ messages: list }, config),
    "in the entrypoint, without its config": async (list) => fitted({ messages: list }),
    "in a task": async (list) => ask(list),
  };

  it.each(Object.entries(forms))(
    "fits the window in each turn, and returns the reply alone: %s",
    async (form, ask) => {
      model.prompts.length = 0;
      const agent = entrypoint(
        { name: "agent", checkpointer: new MemorySaver() },
        async (asked: BaseMessage, config) => {
          const list = [...(getPreviousState<readonly BaseMessage[]>() ?? []), asked];
          const reply = await ask(list, config);
          return [...list, ...reply.messages];
        },
      );
      let list: readonly BaseMessage[] = [];
      for (let turn = 0; turn < 20; turn++)
        list = await agent.invoke(
          new HumanMessage({ id: `q${turn}`, content: filler(200, turn) }),
          inThread(form),
        );
      expect(list).toHaveLength(40);
      expect(estimateTokens(list)).toBeGreaterThan(1.5 * window);
      expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
    },
  );
});

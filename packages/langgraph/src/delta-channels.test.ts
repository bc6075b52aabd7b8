import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { compactionNode, contextIn, contextState, withCompaction, type ContextOptions } from "./index.js";
import { contextMiddleware } from "./middleware/index.js";
import { inThread } from "./testing/agent-graph.js";
import { filler } from "./testing/history.js";
import { ScriptedModel } from "./testing/scripted-model.js";
import { readThread, type ThreadGraph } from "./threads/index.js";

interface Parts {
  readonly model: ScriptedModel;
  readonly options: ContextOptions;
  readonly checkpointer: MemorySaver;
}
type Chat = ThreadGraph & {
  invoke(input: object, config: object): Promise<{ readonly messages: readonly BaseMessage[] }>;
};

const state = new StateSchema({ messages: MessagesDeltaValue, ...contextState });

/** Hosts whose checkpoints hold what each step adds to the messages, with the whole list every 50 updates. */
const hosts = {
  compactionNode: ({ model, options, checkpointer }: Parts) =>
    new StateGraph(state)
      .addNode("model", async (current) => ({ messages: [await model.invoke([...contextIn(current)])] }))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .compile({ checkpointer }),
  withCompaction: ({ model, options, checkpointer }: Parts) =>
    new StateGraph(state)
      .addNode(
        "model",
        withCompaction(
          async ({ messages }: { messages: BaseMessage[] }) => ({ messages: [await model.invoke(messages)] }),
          options,
        ),
      )
      .addEdge(START, "model")
      .compile({ checkpointer }),
  contextMiddleware: ({ model, options, checkpointer }: Parts) =>
    createAgent({
      model,
      tools: [],
      stateSchema: new StateSchema({ messages: MessagesDeltaValue }),
      middleware: [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })],
      checkpointer,
    }).graph,
} as unknown as Readonly<Record<string, (parts: Parts) => Chat>>;

const cases = Object.keys(hosts).flatMap((host) => [false, true].map((keepThread) => ({ host, keepThread })));

describe("messages in a delta channel", () => {
  it.each(cases)(
    "are compacted by $host, keepThread $keepThread, and read back as they happened",
    async ({ host, keepThread }) => {
      const files = VirtualFilesystem.inMemory();
      const checkpointer = new MemorySaver();
      const options: ContextOptions = { files, contextWindow: 4_000, keepThread };
      const model = new ScriptedModel(
        (_, call) => new AIMessage({ id: `a${call}`, content: `Answer ${call}. ${filler(200, call)}` }),
      );
      // A new graph at each turn reads the deltas of the one before.
      const open = () => hosts[host]?.({ model, options, checkpointer }) as Chat;
      const turns = 40;
      for (let turn = 0; turn < turns; turn++) {
        const question = new HumanMessage({ id: `u${turn}`, content: `Question ${turn}.` });
        const { messages } = await open().invoke({ messages: [question] }, inThread("t"));
        const reloaded = (await open().getState(inThread("t"))).values as typeof state.State;
        expect(reloaded.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
        expect(messages.some((message) => foldOf(message)) && keepThread).toBe(false);
      }
      for (const prompt of model.prompts) {
        expect(illegalities(prompt)).toEqual([]);
        expect(estimateTokens(prompt)).toBeLessThan(4_000);
      }
      expect(model.prompts.at(-1)?.some((message) => foldOf(message) !== undefined)).toBe(true);
      const thread = await readThread(open(), inThread("t"), { files });
      expect(thread.map(({ id }) => id)).toEqual(
        Array.from({ length: turns }, (_, turn) => [`u${turn}`, `a${turn}`]).flat(),
      );
    },
  );
});

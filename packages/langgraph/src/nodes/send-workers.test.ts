import { AIMessage, HumanMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { contextAnnotation } from "../run/context-state.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compactionNode } from "./compaction-node.js";
import { withCompaction } from "./with-compaction.js";

const contextWindow = 4_000;
const rounds = 25;
const channels = { ...MessagesAnnotation.spec, ...contextAnnotation };

interface Carried {
  readonly messages: BaseMessage[];
}

/** Plays workers, each of which a `Send` calls again and again with a list that is its own. */
async function played(workers: number, keepThread: boolean) {
  const events: ContextEvent[] = [];
  const model = new ScriptedModel(
    (prompt, call) => new AIMessage({ id: `a${call}`, content: filler(200, call) + prompt.length }),
  );
  const ask = withCompaction(
    async ({ messages }: Carried, _config: object) => ({ messages: [await model.invoke([...messages])] }),
    {
      files: VirtualFilesystem.inMemory(),
      contextWindow,
      summaryModel: "none",
      keepThread,
      onEvent: (event) => void events.push(event),
    },
  );
  const graph = new StateGraph(channels)
    .addNode(
      "worker",
      (async (state: Carried, config: object) => {
        const { messages } = await ask(state, config);
        const list = [...state.messages, ...messages, new HumanMessage("Go on.")];
        return new Command({
          goto: list.length > 2 * rounds ? [] : [new Send("worker", { messages: list })],
        });
      }) as never,
      { ends: ["worker"] },
    )
    .addConditionalEdges(START, () =>
      Array.from(
        { length: workers },
        (_, at) => new Send("worker", { messages: [new HumanMessage(`Begin with part ${at}.`)] }),
      ),
    )
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: [new HumanMessage("Start.")] }, inThread("t"));
  const compactions = events.filter(({ type }) => type === "context.compaction").length;
  const failures = events.filter(({ type }) => type === "context.fail");
  const largest = Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)));
  return { compactions, failures, largest, calls: model.prompts.length };
}

describe("workers that a send calls with lists of their own", () => {
  it.each([false, true])("compact no more often together than alone: keepThread %s", async (keepThread) => {
    const alone = await played(1, keepThread);
    const together = await played(3, keepThread);
    expect(alone.compactions).toBeGreaterThan(0);
    expect(together.compactions).toBeLessThanOrEqual(3 * alone.compactions);
    expect(together).toMatchObject({ failures: [], calls: 3 * alone.calls });
    expect(together.largest).toBeLessThanOrEqual(contextWindow);
  });
});

it("replies of workers, which report the sizes of their own lists, are not called false", async () => {
  const events: ContextEvent[] = [];
  const compact = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow,
    summaryModel: "none",
    onEvent: (event) => void events.push(event),
  });
  const usage_metadata = { input_tokens: 7, output_tokens: 10, total_tokens: 17 };
  const report = (at: number, calls: number) =>
    new AIMessage({ content: filler(150, at + calls), usage_metadata } as AIMessageFields);
  const graph = new StateGraph(channels)
    .addNode("compact", compact)
    .addNode("plan", async () => ({}))
    .addNode("worker", (({ at, calls }: Record<"at" | "calls", number>) => ({
      messages: [report(at, calls)],
    })) as never)
    .addEdge(START, "compact")
    .addEdge("compact", "plan")
    .addConditionalEdges("plan", ({ messages }) =>
      [1, 2, 3].map((at) => new Send("worker", { at, calls: messages.length })),
    )
    .compile({ checkpointer: new MemorySaver() });
  for (let turn = 0; turn < 12; turn++)
    await graph.invoke({ messages: [new HumanMessage(`Question ${turn}`)] }, inThread("t"));
  expect(events.some(({ type }) => type === "context.compaction")).toBe(true);
  expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
});

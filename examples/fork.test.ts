import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { unfold } from "@palimpsest/context";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { expect, it } from "vitest";
import { LogReader, logTool } from "./shared/log-reader.js";
import { ask, filesAt, writingAgent } from "./shared/writing-agent.js";

function logAgent(saver: VfsSaver) {
  const { files } = saver;
  const model = new LogReader();
  return new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addNode("compact", compactionNode({ files, contextWindow: 16_000 }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });
}

async function wholeThread(saver: VfsSaver, at: object): Promise<string[]> {
  const texts = [];
  for await (const message of saver.readThread({ configurable: at }, { unfold })) texts.push(message.text);
  return texts;
}

it("an agent that folds its context can be forked, and what either branch folded away is read back", async () => {
  const saver = VfsSaver.inMemory();
  const agent = logAgent(saver);
  const thread = { configurable: { thread_id: "t" }, recursionLimit: 300 };
  await agent.invoke(
    { messages: [new HumanMessage("Read all 24 log files. What was the first error?")] },
    thread,
  );
  const history = [];
  for await (const state of agent.getStateHistory(thread)) history.push(state);
  const middle = history.find(({ metadata, next }) => metadata?.step === 30 && next.length > 0);
  await agent.invoke(null, { ...middle?.config, recursionLimit: 300 });

  const tips = [history[0]?.config, (await agent.getState(thread)).config].map(
    (tip) => tip?.configurable ?? {},
  );
  expect(tips[0]?.["checkpoint_id"]).not.toBe(tips[1]?.["checkpoint_id"]);
  for (const tip of tips) {
    const { values } = await agent.getState({ configurable: tip });
    const texts = await wholeThread(saver, tip);
    expect(texts.length).toBeGreaterThan(values.messages.length);
    for (let log = 1; log <= 24; log++)
      expect(
        texts.filter((text) => text.startsWith(`log-${log} line 0 `) && text.includes("line 119")),
      ).toHaveLength(1);
    expect(texts.at(-1)).toContain("E-4037");
  }
});

it("each branch of a fork has its own files", async () => {
  const saver = VfsSaver.inMemory();
  const agent = writingAgent(saver);
  const first = await ask(agent, "Write one to /f.md", { configurable: { thread_id: "t" } });
  const left = await ask(agent, "Write left to /f.md", first);
  const right = await ask(agent, "Write right to /g.md", first);
  expect(await filesAt(agent, saver, first)).toEqual({ "/f.md": "one" });
  expect(await filesAt(agent, saver, left)).toEqual({ "/f.md": "left" });
  expect(await filesAt(agent, saver, right)).toEqual({ "/f.md": "one", "/g.md": "right" });
});

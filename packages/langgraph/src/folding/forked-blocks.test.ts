import type { BaseMessage } from "@langchain/core/messages";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver, type StateSnapshot } from "@langchain/langgraph";
import { toStoredMessage } from "@palimpsest/context";
import { blocksOf } from "@palimpsest/context/folding";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { readingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { foldNode } from "./fold-node.js";

const spans = (messages: readonly BaseMessage[]) =>
  blocksOf(messages).map(({ id, startStep, endStep, text }) => [id, startStep, endStep, text]);

const messagesOf = ({ values }: Pick<StateSnapshot, "values">) =>
  (values as { messages?: BaseMessage[] }).messages ?? [];

it("each checkpoint has its version of the blocks: a fork goes on from those of then, in another process", async () => {
  const files = VirtualFilesystem.inMemory();
  const checkpointer = new MemorySaver();
  const job = readingJob({ pages: 12 });
  const open = () => {
    const compact = foldNode({ files, contextWindow: 12_000, recentBlocks: 2 });
    return agentGraph({ model: job.model, tools: job.tools, compact, checkpointer });
  };
  const end = await open().invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  const history: StateSnapshot[] = [];
  for await (const snapshot of open().getStateHistory(inThread("t"))) history.push(snapshot);
  const past = history.find((snapshot) => blocksOf(messagesOf(snapshot)).length === 4)!;

  const again = new HumanMessage({ id: "fork", content: "Stop and tell me." });
  const fork = await open().updateState(past.config, { messages: [again] }, "tools");
  const forked = messagesOf(await open().getState(fork));
  expect(spans(forked)).toEqual(spans(messagesOf(past)));
  expect(spans(forked)).not.toEqual(spans(end.messages));
  const opened = await unfolded(forked, files, "t");
  expect(opened.length).toBeGreaterThan(10);
  expect(opened).toEqual([...job.thread("atlas").slice(0, opened.length - 1), toStoredMessage(again)]);
});

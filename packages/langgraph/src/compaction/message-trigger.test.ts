import { AIMessage, HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { toStoredMessage } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextOptions } from "../options/context-options.js";
import { mergeCompaction, type CompactionState } from "../run/context-state.js";
import { resolveOptions } from "../options/resolve-options.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { compact } from "../testing/compact.js";

const turns = 150;
const answerOf = (turn: number) =>
  `Value ${turn} of the table is ${turn * 7919}. ${"It holds for all cases that you named. ".repeat(6)}`;

/** Plays a chat in which the user asks one short question after the other. */
async function chat(options: Partial<ContextOptions>, begin: readonly BaseMessage[] = []) {
  const files = VirtualFilesystem.inMemory();
  const summaryModel = new ScriptedModel(() => new AIMessage("## Findings\n- The table has all values"));
  const resolved = resolveOptions({ files, contextWindow: 128_000, summaryModel, ...options });
  const config = { configurable: { thread_id: "t" } };
  const thread: BaseMessage[] = [...begin];
  let messages = begin;
  let state: CompactionState = {};
  const sizes: number[] = [];
  /** Newest messages as they came, after the summary of each compaction. */
  const kept: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const question = new HumanMessage({ id: `h${turn}`, content: `What is value ${turn} of the table?` });
    const outcome = await compact({ messages: [...messages, question], state, config }, resolved);
    state = mergeCompaction(state, outcome.state);
    sizes.push(outcome.messages.length);
    if (outcome.messages.length < messages.length)
      kept.push(outcome.messages.length - 1 - outcome.messages.findLastIndex(isSummary));
    const answer = new AIMessage({ id: `a${turn}`, content: answerOf(turn) });
    messages = [...outcome.messages, answer];
    thread.push(question, answer);
  }
  const opened = await unfolded(messages, files, "t");
  expect(opened).toEqual(thread.map((message) => toStoredMessage(message)));
  return { messages, sizes, kept, summaries: summaryModel.prompts.length };
}

it.each<Pick<ContextOptions, "trigger" | "keep">>([
  { trigger: { messages: 50 }, keep: { messages: 20 } },
  { trigger: [{ tokens: 100_000 }, { messages: 50 }] },
])("a chat over a trigger in messages is compacted rarely, and stays below it: %j", async (options) => {
  const { messages, sizes, summaries } = await chat(options);
  expect(Math.max(...sizes)).toBeLessThan(50);
  expect(summaries).toBeGreaterThan(2);
  // A compaction leaves 35 messages, and each turn adds two.
  expect(summaries).toBeLessThan(turns / 7 + 1);
  expect(messages[0]?.id).toBe("h0");
  const newest = Array.from({ length: 8 }, (_, at) => [`h${turns - 8 + at}`, `a${turns - 8 + at}`]).flat();
  expect(messages.slice(-16).map(({ id }) => id)).toEqual(newest);
});

it.each<Pick<ContextOptions, "trigger" | "keep">>([
  { trigger: { messages: 12 }, keep: { messages: 10 } },
  { trigger: { messages: 12 }, keep: { turns: 6 } },
])(
  "a keep next to a trigger in messages still keeps the newest messages word for word: %j",
  async (options) => {
    const { kept, summaries } = await chat(options);
    expect(summaries).toBeGreaterThan(2);
    // First message, summary and the next one take three of the twelve; a cut is made at a user message.
    expect(Math.min(...kept)).toBeGreaterThanOrEqual(8);
  },
);

it("under a trigger in messages, a system message leaves room for the newest messages", async () => {
  const system = [new SystemMessage({ id: "s", content: "Answer from the table." })];
  const { kept } = await chat({ trigger: { messages: 12 }, keep: { messages: 10 } }, system);
  expect(Math.min(...kept)).toBeGreaterThanOrEqual(7);
});

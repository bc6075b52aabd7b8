// Prints what the steps before every model call take, in milliseconds, at 100, 1,000 and 10,000 messages.
// Run: npx tsx packages/langgraph/bench/steps.ts
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  cutPoints,
  dropStaleReads,
  estimateTokens,
  findCutoff,
  foldRules,
  maskToolResults,
  measureContext,
  offloadLargeToolResults,
  truncateToolInputs,
  unseenStart,
  withIds,
} from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { compactionCondition } from "../src/conditions/compaction-condition.js";
import { compactionNode } from "../src/nodes/compaction-node.js";

const sizes = [100, 1_000, 10_000];
const rounds = 21;

/** Returns a thread of about so many messages: turns of a question, three steps with two calls each, and an answer. */
function thread(size: number): BaseMessage[] {
  const messages: BaseMessage[] = [];
  for (let turn = 0; messages.length < size; turn++) {
    messages.push(new HumanMessage({ id: `h${turn}`, content: `Question ${turn}: what does the log say?` }));
    for (let step = 0; step < 3; step++) {
      const calls = ["a", "b"].map((name) => ({
        id: `${turn}-${step}-${name}`,
        name: "search",
        args: { step },
      }));
      const thinking = { type: "thinking", thinking: "The log may have it.", signature: "c2ln" };
      messages.push(
        new AIMessage({
          id: `ai${turn}-${step}`,
          content: [thinking, { type: "text", text: "Let me look." }],
          tool_calls: calls,
        }),
        ...calls.map(
          ({ id }) =>
            new ToolMessage({
              id: `r${id}`,
              name: "search",
              tool_call_id: id,
              content: `Found ${id} in line ${step}.`,
            }),
        ),
      );
    }
    messages.push(new AIMessage({ id: `e${turn}`, content: `The log says ${turn}.` }));
  }
  return messages;
}

/** Returns the median of the milliseconds of several runs; the first ones warm up. */
async function milliseconds(run: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.slice(5).toSorted((a, b) => a - b)[Math.floor((rounds - 5) / 2)] ?? 0;
}

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000_000 };
const node = compactionNode(options);
const condition = compactionCondition(options);
const config = { configurable: { thread_id: "bench" } };
const keep = { tokens: 10_000 };

const steps: readonly (readonly [string, (messages: readonly BaseMessage[]) => unknown])[] = [
  ["cutPoints, all rules", (messages) => cutPoints(messages, foldRules)],
  ...foldRules.map((rule) => [`  ${rule.name}`, (m: readonly BaseMessage[]) => rule.spans(m)] as const),
  ["unseenStart", (messages) => unseenStart(messages)],
  ["findCutoff", (messages) => findCutoff(messages, { keep, tokenCounter: estimateTokens })],
  ["withIds", (messages) => withIds(messages)],
  ["measureContext", (messages) => measureContext(messages, { tokenCounter: estimateTokens })],
  ["offloadLargeToolResults, nothing to do", (messages) => offloadLargeToolResults(messages)],
  ["dropStaleReads", (messages) => dropStaleReads(messages)],
  ["truncateToolInputs", (messages) => truncateToolInputs(messages)],
  ["maskToolResults, nothing to do", (messages) => maskToolResults(messages, { keepSteps: 10_000 })],
  ["compactionCondition, nothing to do", (messages) => condition({ messages })],
  ["compactionNode, nothing to do", (messages) => node({ messages }, config)],
];

const threads = sizes.map(thread);
const rows: string[][] = [["step", ...threads.map((messages) => `${messages.length} messages`)]];
for (const [name, step] of steps) {
  const row = [name];
  for (const messages of threads) row.push((await milliseconds(() => step(messages))).toFixed(3));
  rows.push(row);
}
const [head = [], ...body] = rows.map((row) => `| ${row.map((cell) => cell.padEnd(38)).join(" | ")} |`);
process.stdout.write(`${[head, `|${" --- |".repeat(sizes.length + 1)}`, ...body].join("\n")}\n`);

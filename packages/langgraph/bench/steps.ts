// Prints what the passes and the steps before every model call take, in milliseconds of processor time, at 1,000 to 16,000
// messages, and how that grows: time as messages to the power of the last column. Then the cut points at 10,000 messages.
// Run: npx tsx packages/langgraph/bench/steps.ts
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  applySummary,
  cutPoints,
  dropStaleReads,
  estimateTokens,
  findCutoff,
  maskToolResults,
  measureContext,
  offloadLargeToolResults,
  planSummary,
  trimToArchive,
  truncateToolInputs,
  unfold,
  unseenStart,
  withIds,
} from "@palimpsest/context";
import { foldRules } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { compactionCondition } from "../src/conditions/compaction-condition.js";
import { compactionNode } from "../src/nodes/compaction-node.js";

const sizes = [1_000, 2_000, 4_000, 8_000, 16_000];
const rounds = 9;

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

/**
 * Returns the milliseconds of processor time that the fastest of several runs took: what else the machine does only adds
 * to the others.
 */
async function milliseconds(run: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    times.push(Math.max(1, user + system) / 1_000);
  }
  return Math.min(...times);
}

/** Returns a thread of which ever more was summarized, every hundred messages: summaries in summaries. */
function nested(messages: readonly BaseMessage[]) {
  const archive = new Map<string, string>();
  let context: readonly BaseMessage[] = [];
  for (let at = 0; at < messages.length; at += 100) {
    context = [...context, ...messages.slice(at, at + 100)];
    const cut = findCutoff(context, { keep: { messages: 10 }, tokenCounter });
    const plan = planSummary(context, { cut, userTokens: 200 });
    if (plan === undefined) continue;
    const rewrite = trimToArchive(plan, { tokenCounter });
    for (const { path, content } of rewrite.writes) archive.set(path, content);
    context = rewrite.messages;
  }
  return { context, read: async (path: string) => archive.get(path) ?? "" };
}

/** Returns the power of the number of messages with which the time grew, over all sizes. */
function growth(times: readonly number[]): number {
  const points = times.map((time, index) => [Math.log(sizes[index] ?? 1), Math.log(time)] as const);
  const [x, y] = [0, 1].map(
    (axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length,
  );
  const above = points.reduce((sum, [px, py]) => sum + (px - (x ?? 0)) * (py - (y ?? 0)), 0);
  return above / points.reduce((sum, [px]) => sum + (px - (x ?? 0)) ** 2, 0);
}

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000_000 };
const node = compactionNode(options);
const condition = compactionCondition(options);
const config = { configurable: { thread_id: "bench" } };
const keep = { tokens: 10_000 };
const tokenCounter = estimateTokens;

const pin = ({ id = "" }: BaseMessage) => id.startsWith("ai") && id.endsWith("0-1");

/** A plan that folds nearly all, with a pin that every tenth step has. */
function plan(messages: readonly BaseMessage[]) {
  return planSummary(messages, { cut: findCutoff(messages, { keep, tokenCounter }), pin });
}

function planned(messages: readonly BaseMessage[]) {
  const made = plan(messages);
  if (made === undefined) throw new Error("Nothing to fold: the bench would measure nothing");
  return made;
}

type Step = (messages: readonly BaseMessage[]) => unknown;

const steps: readonly (readonly [string, Step])[] = [
  ["cutPoints, all rules", (messages) => cutPoints(messages, foldRules)],
  ...foldRules.map((rule) => [`  ${rule.name}`, (m: readonly BaseMessage[]) => rule.spans(m)] as const),
  ["unseenStart", (messages) => unseenStart(messages)],
  ["findCutoff", (messages) => findCutoff(messages, { keep, tokenCounter })],
  ["withIds", (messages) => withIds(messages)],
  ["measureContext", (messages) => measureContext(messages, { tokenCounter })],
  ["offloadLargeToolResults, nothing to do", (messages) => offloadLargeToolResults(messages)],
  ["offloadLargeToolResults, all", (messages) => offloadLargeToolResults(messages, { offloadTokens: 1 })],
  ["dropStaleReads", (messages) => dropStaleReads(messages)],
  ["truncateToolInputs, all", (messages) => truncateToolInputs(messages, { inputCharacters: 1 })],
  ["maskToolResults, all", (messages) => maskToolResults(messages)],
  ["planSummary, with pins", (messages) => plan(messages)],
  ["applySummary", (messages) => applySummary(planned(messages), { text: "Done.", tokenCounter })],
  ["trimToArchive", (messages) => trimToArchive(planned(messages), { tokenCounter })],
  ["compactionCondition, nothing to do", (messages) => condition({ messages })],
  ["compactionNode, nothing to do", (messages) => node({ messages }, config)],
];

const threads = sizes.map(thread);
const rows: string[][] = [["step", ...threads.map((messages) => `${messages.length} messages`), "growth"]];

async function measure(name: string, runs: readonly (() => unknown)[]): Promise<void> {
  const times: number[] = [];
  for (const run of runs) times.push(await milliseconds(run));
  rows.push([name, ...times.map((time) => time.toFixed(3)), growth(times).toFixed(2)]);
}

for (const [name, step] of steps) {
  await measure(
    name,
    threads.map((messages) => () => step(messages)),
  );
}
const folded = threads.map(nested);
await measure(
  "unfold, summaries in summaries",
  folded.map(
    ({ context, read }) =>
      () =>
        unfold(context, read),
  ),
);
const [head = [], ...body] = rows.map(
  (row) => `| ${row.map((cell, at) => cell.padEnd(at === 0 ? 38 : 14)).join(" | ")} |`,
);
process.stdout.write(`${[head, `|${" --- |".repeat(sizes.length + 2)}`, ...body].join("\n")}\n`);
const large = thread(10_000);
const time = await milliseconds(() => cutPoints(large, foldRules));
process.stdout.write(`\nCut points by all rules at ${large.length} messages: ${time.toFixed(1)} ms\n`);

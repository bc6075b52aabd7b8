// Asks the agent a question and prints what happened: npm start, or npm start -- "A question" --thread 2
import type { BaseMessage } from "@langchain/core/messages";
import { parseArgs } from "node:util";
import { agent, saver } from "./agent.js";
import { events } from "./events.js";

const { values, positionals } = parseArgs({
  options: { thread: { type: "string", default: "1" } },
  allowPositionals: true,
});
const question = positionals[0] ?? "Read all 24 log files. What was the error code in the first one?";
// A thread goes on where it was, also in another process.
const config = { configurable: { thread_id: values.thread }, recursionLimit: 300 };
if ((await saver.getTuple(config)) !== undefined) console.log(`Thread ${values.thread} goes on.`);

const state = await agent.invoke({ messages: [{ role: "user", content: question }] }, config);
const messages = state.messages as BaseMessage[];
console.log(messages.at(-1)?.text);
console.log(
  `${events.get("context.compaction") ?? 0} compactions, ${events.get("context.fold") ?? 0} folds; originals are in agent.db`,
);

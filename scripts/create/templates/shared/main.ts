// Asks the agent one question and prints what happened. Run: npm start
import type { BaseMessage } from "@langchain/core/messages";
import { agent } from "./agent.js";
import { events } from "./events.js";

const question = process.argv[2] ?? "Read all 24 log files. What was the error code in the first one?";
const config = { configurable: { thread_id: crypto.randomUUID() }, recursionLimit: 300 };
const state = await agent.invoke({ messages: [{ role: "user", content: question }] }, config);

const messages = state.messages as BaseMessage[];
console.log(messages.at(-1)?.text);
console.log(
  `${events.get("context.compaction") ?? 0} compactions, ${events.get("context.fold") ?? 0} folds; originals are in agent.db`,
);

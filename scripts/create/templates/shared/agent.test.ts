// Runs the agent with the offline model. Run: npm test
import type { BaseMessage } from "@langchain/core/messages";
import assert from "node:assert/strict";
import { test } from "node:test";

// Goes before a key in .env.
process.env["OPENAI_API_KEY"] = "";
const { agent } = await import("./agent.js");
const { events } = await import("./events.js");

const ask = async (content: string, thread_id: string): Promise<string | undefined> => {
  const config = { configurable: { thread_id }, recursionLimit: 300 };
  const state = await agent.invoke({ messages: [{ role: "user", content }] }, config);
  return (state.messages as BaseMessage[]).at(-1)?.text;
};

void test("the agent answers from what was folded away, and again when the thread goes on", async () => {
  const thread = crypto.randomUUID();
  assert.match((await ask("Read all log files. What was the first error code?", thread)) ?? "", /E-4037/);
  assert.ok((events.get("context.fold") ?? 0) > 0);
  assert.match((await ask("And what was it again?", thread)) ?? "", /E-4037/);
});

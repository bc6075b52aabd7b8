import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { createDeepAgent } from "deepagents";
import { z } from "zod";
import type { Growth, GrowthOptions } from "./measure-growth.js";
import type { OpenSubject } from "./subjects.js";
import { messageBytes, texts } from "./texts.js";

const thread = { configurable: { thread_id: "bench" }, recursionLimit: 1e6 };

/**
 * Measures a deep agent with its own state backend, whose tool returns another 2 KB on each call: the bytes stored, and the
 * time of a round of model and tool.
 */
export async function deepAgentGrowth(
  open: OpenSubject,
  { steps, kind }: Pick<GrowthOptions, "steps" | "kind">,
): Promise<Growth> {
  const { saver, finish } = await open();
  const start = performance.now();
  await deepAgent({ saver, rounds: steps, result: texts(kind) });
  const msPerStep = (performance.now() - start) / steps;
  const bytes = await finish();
  return { steps, bytes, factor: bytes / (steps * messageBytes), msPerStep };
}

/** Measures one tool result of 50 MB in a deep agent, which offloads it into its state. */
export async function deepAgentHugeResult(
  open: OpenSubject,
): Promise<{ readonly factor: number; readonly ms: number }> {
  const { saver, finish } = await open();
  const size = 50_000_000;
  const piece = texts("random")();
  const result = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const start = performance.now();
  await deepAgent({ saver, rounds: 1, result: () => result });
  const ms = performance.now() - start;
  return { factor: (await finish()) / size, ms };
}

interface DeepAgentRun {
  readonly saver: Awaited<ReturnType<OpenSubject>>["saver"];
  readonly rounds: number;
  readonly result: () => string;
}

async function deepAgent({ saver, rounds, result }: DeepAgentRun): Promise<void> {
  const fetch = tool(result, { name: "fetch", description: "fetches", schema: z.object({}) });
  let left = rounds;
  const answer = (): AIMessage => {
    if (left === 0) return new AIMessage("done");
    left -= 1;
    const call = { name: "fetch", args: {}, id: `call-${left}`, type: "tool_call" as const };
    return new AIMessage({ content: "", tool_calls: [call] });
  };
  let model = fakeModel();
  // Twice as many answers as rounds, because the agent's own summaries call the model too.
  for (let index = 0; index < 2 * rounds + 2; index++) model = model.respond(answer);
  const agent = createDeepAgent({ model, tools: [fetch], checkpointer: saver });
  await agent.invoke({ messages: [new HumanMessage("go")] }, thread);
}

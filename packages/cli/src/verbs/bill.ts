import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { readState, unfoldState } from "../read-state.js";
import { renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Tokens that one model reported. */
interface ModelUsage {
  readonly model: string;
  calls: number;
  input: number;
  cached: number;
  cacheWrites: number;
  output: number;
}

/** Adds up the usage that the models reported, over the whole thread. */
export const bill: Verb = {
  name: "bill",
  description: "Add up the tokens that the models reported in a thread, by model",
  args: ["<thread>"],
  options: [],
  async run({ saver, args: [threadId = ""] }) {
    const messages = await unfoldState(saver, await readState(saver, threadId));
    const usages = [...usageByModel(messages).values()];
    const head = ["model", "calls", "input", "of it cached", "of it cache writes", "output"];
    const rows = usages.map(({ model, calls, input, cached, cacheWrites, output }) => [
      model,
      calls,
      input,
      cached,
      cacheWrites,
      output,
    ]);
    const text = "The models of this thread reported no usage..\n";
    return { data: usages, text: rows.length === 0 ? text : renderTable(head, rows) };
  },
};

function usageByModel(messages: readonly BaseMessage[]): Map<string, ModelUsage> {
  const byModel = new Map<string, ModelUsage>();
  for (const message of messages) {
    const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
    if (usage === undefined) continue;
    const metadata = message.response_metadata as { model_name?: string; model?: string };
    const model = metadata.model_name ?? metadata.model ?? "unnamed";
    const sum = byModel.get(model) ?? { model, calls: 0, input: 0, cached: 0, cacheWrites: 0, output: 0 };
    sum.calls += 1;
    sum.input += usage.input_tokens;
    sum.cached += usage.input_token_details?.cache_read ?? 0;
    sum.cacheWrites += usage.input_token_details?.cache_creation ?? 0;
    sum.output += usage.output_tokens;
    byModel.set(model, sum);
  }
  return byModel;
}

import { MockLanguageModelV3 } from "ai/test";
import { HumanMessage } from "@langchain/core/messages";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import { nextStep } from "./log-reader.js";

/** Sizes of the prompts that the model was sent, in tokens of a real tokenizer. */
export const promptTokens: number[] = [];

/** The log reader as a model of the Vercel AI SDK: offline, with the same habit. */
export const aiSdkLogReader = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const parts = prompt.flatMap(({ content }): readonly (string | object)[] =>
      typeof content === "string" ? [content] : content,
    );
    const text = parts.map(textOf).join("\n");
    promptTokens.push(countWithGptTokenizer([new HumanMessage(text)]));
    const { content, tool_calls: [call] = [] } = { tool_calls: undefined, ...nextStep(text) };
    const said = { type: "text" as const, text: content };
    const tokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const answer = {
      warnings: [],
      usage: { inputTokens: tokens, outputTokens: { total: 20, text: 20, reasoning: 0 } },
    };
    if (call === undefined)
      return { ...answer, content: [said], finishReason: { unified: "stop", raw: undefined } };
    const input = JSON.stringify(call.args);
    const called = { type: "tool-call" as const, toolCallId: call.id, toolName: call.name, input };
    return { ...answer, content: [said, called], finishReason: { unified: "tool-calls", raw: undefined } };
  },
});

function textOf(part: string | object): string {
  if (typeof part === "string") return part;
  if ("text" in part) return String(part.text);
  const output: unknown = "output" in part ? part.output : undefined;
  return typeof output === "object" && output !== null && "value" in output ? String(output.value) : "";
}

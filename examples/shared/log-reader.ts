import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import {
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import { z } from "zod";

/** Log files to read: more than a small window holds. */
const logs = 24;

/** Returns a log of 120 lines with one error in it. */
export const logTool = tool(
  ({ number }) => Array.from({ length: 120 }, (_, line) => logLine(number, line)).join("\n"),
  {
    name: "read_log",
    description: "Returns a whole log file.",
    schema: z.object({ number: z.number().int().min(1).max(logs) }),
  },
);

function logLine(number: number, line: number): string {
  if (line === 57)
    return `log-${number} line ${line} ERROR code E-${4000 + number * 37}: disk quota exceeded`;
  return `log-${number} line ${line} INFO request ${number * 1000 + line} served in ${(line * 7) % 90} ms`;
}

export interface LogReaderOptions {
  /** Asks for a compaction when the context says that the window is fuller than this, in percent. */
  readonly compressAbove?: number;
  /** Tokens. @default 16,000 */
  readonly contextWindow?: number;
}

/**
 * An offline model with one habit: it reads all logs, then says what the error code in the first one was.
 *
 * It knows nothing but the messages of its prompt. What is not there any more it searches for in the archive.
 */
export class LogReader extends BaseChatModel {
  /** Size of every prompt, in tokens of a real tokenizer. */
  readonly promptTokens: number[] = [];

  readonly #compressAbove: number;
  readonly #contextWindow: number;
  #tools: readonly { readonly name: string; readonly description: string }[] = [];

  constructor({ compressAbove = Infinity, contextWindow = 16_000 }: LogReaderOptions = {}) {
    super({});
    this.#contextWindow = contextWindow;
    this.#compressAbove = compressAbove;
  }

  /** LangChain's models state their window here; the middleware reads it where no `contextWindow` is given. */
  override get profile(): ModelProfile {
    return { maxInputTokens: this.#contextWindow };
  }

  override bindTools(tools: { name: string; description: string }[]): this {
    this.#tools = tools;
    return this;
  }

  override _llmType(): string {
    return "log-reader";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const tokens = countWithGptTokenizer(messages, { tools: this.#tools });
    this.promptTokens.push(tokens);
    const text = messages.map((message) => message.text).join("\n");
    const fill = Number([...text.matchAll(/\[Context: about (\d+) %/g)].at(-1)?.[1] ?? 0);
    const reply = fill > this.#compressAbove ? compress() : nextStep(text);
    const usage = { input_tokens: tokens, output_tokens: 20, total_tokens: tokens + 20 };
    const fields: AIMessageFields<StandardMessageStructure> = { ...reply, usage_metadata: usage };
    return { generations: [{ text: "", message: new AIMessage<StandardMessageStructure>(fields) }] };
  }
}

/** Returns what the reader says and calls next, from the text of its prompt. */
export function nextStep(text: string) {
  const read = Math.max(0, ...[...text.matchAll(/Reading log (\d+)/g)].map((match) => Number(match[1])));
  if (read < logs) return call(`Reading log ${read + 1}`, "read_log", { number: read + 1 });
  const code = /log-1 line \d+ ERROR code (E-\d+)/.exec(text)?.[1];
  if (code !== undefined) return { content: `The error code in the first log is ${code}.` };
  if (text.split(lookingUp).length > 3) return { content: "I cannot find it any more." };
  return call(lookingUp, "grep", { pattern: "log-1 line 57 ERROR", path: "/" });
}

const lookingUp = "Looking it up in the files";

function compress() {
  return call("", "compress_context", { strategy: "summarize", reason: "Before the next log file" });
}

function call(content: string, name: string, args: Record<string, unknown>) {
  return { content, tool_calls: [{ id: crypto.randomUUID(), name, args }] };
}

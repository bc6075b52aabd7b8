import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { toolCalls, toStoredMessage, type StoredMessage } from "@palimpsest/context";
import { z } from "zod";
import { ScriptedModel } from "./scripted-model.js";

export interface ReadingJobOptions {
  /** Pages of a book. */
  readonly pages: number;
  /** Parallel calls of one step, one page each. @default 1 */
  readonly parallel?: number;
  /** Lines of a page, about 14 tokens each. @default 60 */
  readonly lines?: number;
  /** Tokens of the window in the model's profile. @default the model has no profile */
  readonly contextWindow?: number;
}

export interface ReadingJob {
  readonly model: ScriptedModel;
  readonly tools: DynamicStructuredTool[];
  /** Returns the message that starts the reading of a book. */
  readonly ask: (book: string) => HumanMessage;
  /** Returns the whole thread of a book, recorded as each message was created. */
  readonly thread: (book: string) => readonly StoredMessage[];
}

/**
 * Returns a model that reads a book page by page, and its tool. The next page depends on the newest call in the prompt alone, so
 * that one model serves any number of threads.
 */
export function readingJob({
  pages,
  parallel = 1,
  lines = 60,
  contextWindow,
}: ReadingJobOptions): ReadingJob {
  const recorded = new Map<string, StoredMessage[]>();
  function record<Message extends BaseMessage>(book: string, message: Message): Message {
    recorded.set(book, [...(recorded.get(book) ?? []), toStoredMessage(message)]);
    return message;
  }
  const readPage = tool(
    ({ book, page }, { toolCallId }: { toolCallId: string }) =>
      record(
        book,
        new ToolMessage({
          id: `result-${toolCallId}`,
          name: "read_page",
          content: pageText(book, page, lines),
          tool_call_id: toolCallId,
          status: "success",
          artifact: { book, page },
        }),
      ),
    { name: "read_page", schema: z.object({ book: z.string(), page: z.number() }) },
  );
  const model = new ScriptedModel((messages) => nextStep(messages, pages, parallel), 0, contextWindow);
  return {
    model: recording(model, record),
    tools: [readPage as DynamicStructuredTool],
    ask: (book) => record(book, new HumanMessage({ id: `ask-${book}`, content: `Read the book ${book}.` })),
    thread: (book) => recorded.get(book) ?? [],
  };
}

/** Returns the text of a page, in which every line is unique. */
export function pageText(book: string, page: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `${book} ${page}.${line}: the value is ${page * 7919 + line}`,
  ).join("\n");
}

function nextStep(messages: readonly BaseMessage[], pages: number, parallel: number): AIMessage {
  const users = messages.filter((message) => message.getType() === "human");
  const book = /Read the book (\w+)/.exec(users.map((message) => message.text).join("\n"))?.[1] ?? "unknown";
  const read = toolCalls(messages.findLast((message) => toolCalls(message).length > 0) ?? messages[0]!);
  const next = Number(read.at(-1)?.args["page"] ?? 0) + 1;
  if (next > pages) return new AIMessage({ id: `${book}-end`, content: `${book} is read.` });
  const count = Math.min(parallel, pages - next + 1);
  return new AIMessage({
    id: `${book}-${next}`,
    content: `Reading ${count} pages from ${next} on.`,
    tool_calls: Array.from({ length: count }, (_, index) => ({
      id: `call-${book}-${next + index}`,
      name: "read_page",
      args: { book, page: next + index },
    })),
  });
}

/** Records the replies that the host receives, by wrapping `invoke`. */
function recording(
  model: ScriptedModel,
  record: (book: string, message: BaseMessage) => BaseMessage,
): ScriptedModel {
  const invoke = model.invoke.bind(model);
  model.invoke = async (...args: Parameters<typeof invoke>) => {
    const reply = await invoke(...args);
    record(/^\w+/.exec(reply.id ?? "")?.[0] ?? "unknown", reply);
    return reply;
  };
  return model;
}

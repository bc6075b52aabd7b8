import {
  mapStoredMessagesToChatMessages,
  type BaseMessage,
  type StoredMessage,
} from "@langchain/core/messages";
import type { ReadValue, SessionEvent, SessionFormat } from "../session-event.js";
import { isJson, listOf, textOf, type Json } from "./make-message.js";

/**
 * LangGraph: the state of a thread as JSON, as `getState` of a graph or the API of a server returns it, or one message a line;
 * messages in LangChain's stored or serialized form. A summary of deepagents stands in `_summarizationEvent`.
 */
export const langgraph: SessionFormat = {
  name: "langgraph",
  agent: "LangGraph and deepagents",
  versions: "@langchain/core 1, deepagents 1",
  sources: [
    "https://docs.langchain.com/oss/javascript/langgraph/persistence",
    "https://github.com/langchain-ai/deepagentsjs/blob/main/libs/deepagents/src/middleware/summarization.ts",
  ],
  detects: (value) => stateOf(value) !== undefined || messageOf(value, 0) !== undefined,
  open: () => reader(),
};

function reader(): ReadValue {
  let count = 0;
  return (value, { line }) => {
    const state = stateOf(value);
    if (state === undefined) {
      const message = messageOf(value, count++);
      return message === undefined
        ? [{ kind: "unknown", what: "no message" }]
        : [{ kind: "message", message: placed(message, line) }];
    }
    const messages = state.messages.flatMap((one) => {
      const message = messageOf(one, count++);
      return message === undefined ? [] : [placed(message, line)];
    });
    return threadEvents(messages, state.event);
  };
}

/** Returns the events of a thread's messages, with the compaction that deepagents keeps beside them. */
function threadEvents(messages: readonly BaseMessage[], event: unknown): readonly SessionEvent[] {
  const events = messages.map((message): SessionEvent => ({ kind: "message", message }));
  if (!isJson(event)) return events;
  const cutoff = Number(event["cutoffIndex"] ?? event["cutoff_index"] ?? 0);
  const summary = messageOf(event["summaryMessage"] ?? event["summary_message"], -1);
  if (summary === undefined || !(cutoff > 0)) return events;
  const compaction = { id: summary.id ?? "summary", summary: summary.text, keeps: [] };
  return [...events.slice(0, cutoff), { kind: "compaction", compaction }, ...events.slice(cutoff)];
}

interface State {
  readonly messages: readonly unknown[];
  readonly event?: unknown;
}

function stateOf(value: unknown): State | undefined {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  if (list !== undefined)
    return list.length > 0 && messageOf(list[0], 0) !== undefined ? { messages: list } : undefined;
  if (!isJson(value)) return undefined;
  const values = isJson(value["values"])
    ? value["values"]
    : isJson(value["channel_values"])
      ? value["channel_values"]
      : value;
  const messages = listOf(values["messages"]);
  if (messages.length === 0 || messageOf(messages[0], 0) === undefined) return undefined;
  return { messages, event: values["_summarizationEvent"] ?? values["_summarization_event"] };
}

const types = new Set([
  "human",
  "ai",
  "tool",
  "system",
  "developer",
  "remove",
  "function",
  "chat",
  "generic",
]);
const classes: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  HumanMessageChunk: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  ToolMessage: "tool",
  SystemMessage: "system",
};

/** Returns a message in stored form (`type` and `data`), in serialized form (`lc` and `kwargs`), or as the API returns it. */
function messageOf(value: unknown, count: number): BaseMessage | undefined {
  if (!isJson(value)) return undefined;
  const form = formOf(value);
  if (form === undefined || !types.has(form.type)) return undefined;
  const { data } = form;
  const id = textOf(data["id"]) ?? `message-${count}`;
  const fields = {
    additional_kwargs: {},
    response_metadata: {},
    ...data,
    id,
    content: data["content"] ?? "",
  };
  return mapStoredMessagesToChatMessages([{ type: form.type, data: fields } as unknown as StoredMessage])[0];
}

function formOf(value: Json): { readonly type: string; readonly data: Json } | undefined {
  const type = textOf(value["type"]) ?? "";
  if (isJson(value["data"])) return { type, data: value["data"] };
  if (type === "constructor" && isJson(value["kwargs"])) {
    const name = String(listOf(value["id"]).at(-1));
    return { type: classes[name] ?? "", data: value["kwargs"] };
  }
  return "content" in value && !("role" in value) ? { type, data: value } : undefined;
}

function placed(message: BaseMessage, line: number): BaseMessage {
  message.response_metadata = { ...message.response_metadata, line };
  return message;
}

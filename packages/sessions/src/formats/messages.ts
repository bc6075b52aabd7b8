import type { BaseMessage } from "@langchain/core/messages";
import type { SessionEvent, SessionFormat } from "../session-event.js";
import {
  argumentsOf,
  assistantMessage,
  isJson,
  listOf,
  numberOf,
  resultMessage,
  systemMessage,
  textOf,
  userMessage,
  type Json,
} from "./make-message.js";

/**
 * Plain messages with a `role`, one a line or in one list: the form of chat APIs and of many recorders. A line with
 * `"compaction": true` is a summary in place of all that came before.
 */
export const messages: SessionFormat = {
  name: "messages",
  agent: "any agent that writes messages with a role",
  versions: "messages of OpenAI's chat completions, and their common variants",
  sources: ["https://platform.openai.com/docs/api-reference/chat"],
  detects: (value) => (isJson(value) ? isMessage(value) || isList(value["messages"]) : isList(value)),
  open: () => {
    const reader = new MessagesReader();
    return (value, { line }) => reader.read(value, line);
  },
};

const roles = new Set(["system", "developer", "user", "assistant", "tool"]);

function isMessage(value: Json): boolean {
  return roles.has(String(value["role"])) && ("content" in value || "tool_calls" in value);
}

function isList(value: unknown): boolean {
  const [first] = listOf(value);
  return isJson(first) && isMessage(first);
}

class MessagesReader {
  #count = 0;

  read(value: unknown, line: number): readonly SessionEvent[] {
    const list = Array.isArray(value)
      ? value
      : isJson(value) && isList(value["messages"])
        ? listOf(value["messages"])
        : undefined;
    if (list !== undefined) return list.flatMap((one) => this.#one(one, line));
    if (isJson(value) && "meta" in value)
      return [...metaFacts(value["meta"]), { kind: "note", what: "about the file" }];
    return this.#one(value, line);
  }

  #one(value: unknown, line: number): readonly SessionEvent[] {
    if (!isJson(value) || !isMessage(value)) return [{ kind: "unknown", what: "no role" }];
    const origin = {
      id: textOf(value["id"]) ?? `m${this.#count}`,
      line,
      time: value["timestamp"],
      isMeta: value["is_meta"] === true,
    };
    if (value["compaction"] === true) {
      const before = numberOf(value["pre_tokens"]);
      const summary = textOf(value["content"]) ?? "";
      const id = `compaction-${line}-${this.#count}`;
      return [
        {
          kind: "compaction",
          compaction: { id, summary, keeps: [], ...(before === undefined ? {} : { tokensBefore: before }) },
        },
      ];
    }
    this.#count += 1;
    return [{ kind: "message", message: messageOf(value, origin) }];
  }
}

function messageOf(value: Json, origin: Parameters<typeof userMessage>[1]): BaseMessage {
  const content =
    typeof value["content"] === "string" ? value["content"] : listOf(value["content"]).filter(isJson);
  const role = String(value["role"]);
  if (role === "system" || role === "developer") return systemMessage(content, origin);
  const call = textOf(value["tool_call_id"]);
  if (role === "tool" && call !== undefined)
    return resultMessage(
      { content, call, name: textOf(value["name"]), isError: value["is_error"] === true },
      origin,
    );
  if (role !== "assistant") return userMessage(content, origin);
  const input = numberOf(value["usage_in"]);
  const usage = input === undefined ? undefined : { input, output: numberOf(value["usage_out"]) ?? 0 };
  const calls = listOf(value["tool_calls"]).filter(isJson).map(callOf);
  const reasoning = textOf(value["reasoning_content"]) ?? textOf(value["thinking"]);
  return assistantMessage({ content, calls, usage, reasoning }, origin);
}

function callOf(call: Json, at: number) {
  const fn = isJson(call["function"]) ? call["function"] : call;
  return {
    id: textOf(call["id"]) ?? `call-${at}`,
    name: String(fn["name"]),
    args: argumentsOf(fn["args"] ?? fn["arguments"]),
  };
}

function metaFacts(meta: unknown): readonly SessionEvent[] {
  if (!isJson(meta)) return [];
  const [id, version] = [textOf(meta["id"]), textOf(meta["agent"])];
  return [
    {
      kind: "facts",
      facts: { ...(id === undefined ? {} : { id }), ...(version === undefined ? {} : { version }) },
    },
  ];
}

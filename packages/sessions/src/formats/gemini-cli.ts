import type { BaseMessage } from "@langchain/core/messages";
import type { ReadValue, SessionEvent, SessionFormat } from "../session-event.js";
import {
  argumentsOf,
  assistantMessage,
  isJson,
  listOf,
  numberOf,
  resultMessage,
  textOf,
  userMessage,
  type Json,
  type Origin,
  type Usage,
} from "./make-message.js";

/** gemini-cli: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, or one JSON file of earlier versions. */
export const geminiCli: SessionFormat = {
  name: "gemini-cli",
  agent: "gemini-cli",
  versions: "0.9 to 0.40 (one JSON file, later a record a line)",
  sources: [
    "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts",
    "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingService.ts",
  ],
  detects: (value) =>
    isJson(value) && typeof value["sessionId"] === "string" && typeof value["projectHash"] === "string",
  open: () => new GeminiReader().read,
};

class GeminiReader {
  /** Ids of the records on this branch. */
  #line: string[] = [];

  readonly read: ReadValue = (value, { line }) => {
    if (!isJson(value)) return [{ kind: "unknown", what: "a value that is no object" }];
    if (typeof value["$rewindTo"] === "string") return this.#rewind(value["$rewindTo"]);
    if (isJson(value["$set"])) return this.#set(value["$set"], line);
    if (typeof value["projectHash"] === "string") {
      const list = listOf(value["messages"]).filter(isJson);
      return [...factsOf(value), ...list.flatMap((record) => this.#record(record, line))];
    }
    return typeof value["id"] === "string" ? this.#record(value, line) : [{ kind: "unknown", what: "no id" }];
  };

  #record(record: Json, line: number): readonly SessionEvent[] {
    const id = String(record["id"]);
    const messages = messagesOf(record, {
      id,
      line,
      time: record["timestamp"],
      model: textOf(record["model"]),
    });
    if (messages === undefined)
      return [{ kind: "note", what: `message: ${textOf(record["type"]) ?? "no type"}` }];
    if (!this.#line.includes(id)) this.#line.push(id);
    const model = textOf(record["model"]);
    const facts: readonly SessionEvent[] = model === undefined ? [] : [{ kind: "facts", facts: { model } }];
    return [...facts, ...messages.map((message): SessionEvent => ({ kind: "message", message }))];
  }

  /** The record that is named goes too. */
  #rewind(to: string): readonly SessionEvent[] {
    const at = this.#line.indexOf(to);
    this.#line = this.#line.slice(0, Math.max(0, at));
    return [{ kind: "rewind", to: this.#line.at(-1) }];
  }

  /** A list of messages in place of the earlier ones is a compression. */
  #set(change: Json, line: number): readonly SessionEvent[] {
    const facts = factsOf(change);
    if (!Array.isArray(change["messages"])) return facts;
    const list = listOf(change["messages"]).filter(isJson);
    const known = new Set(this.#line);
    const keeps = list.map((record) => String(record["id"])).filter((id) => known.has(id));
    const fresh = list.filter((record) => !known.has(String(record["id"])));
    const summary = fresh.map((record) => textIn(record["content"])).join("\n\n");
    if (fresh.length === 0) return [...facts, { kind: "note", what: "list of messages" }];
    this.#line = keeps;
    return [...facts, { kind: "compaction", compaction: { id: `line-${line}`, summary, keeps } }];
  }
}

function factsOf(value: Json): readonly SessionEvent[] {
  const [id, title] = [textOf(value["sessionId"]), textOf(value["summary"])];
  const directory = textOf(listOf(value["directories"])[0]);
  const facts = {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
    ...(directory === undefined ? {} : { directory }),
  };
  return [{ kind: "facts", facts }];
}

/** Returns what the model was sent of a record; undefined for what only the user was shown. */
function messagesOf(record: Json, origin: Origin): readonly BaseMessage[] | undefined {
  const text = textIn(record["content"]);
  if (record["type"] === "user")
    return [userMessage(text, { ...origin, isMeta: text.startsWith("<session_context>") })];
  if (record["type"] !== "gemini") return undefined;
  const made = listOf(record["toolCalls"]).filter(isJson);
  const calls = made.map((call) => ({
    id: String(call["id"]),
    name: String(call["name"]),
    args: argumentsOf(call["args"]),
  }));
  const thoughts = listOf(record["thoughts"])
    .filter(isJson)
    .map((thought) => ({
      type: "thinking",
      thinking: [thought["subject"], thought["description"]].filter(Boolean).join("\n"),
    }));
  const content =
    thoughts.length === 0 ? text : [...thoughts, ...(text === "" ? [] : [{ type: "text", text }])];
  const results = made.flatMap((call) => {
    const { result } = call;
    if (result === undefined || result === null) return [];
    const isError = call["status"] === "error" || call["status"] === "cancelled";
    const shown = resultText(result);
    const name = String(call["name"]);
    return [
      resultMessage(
        { content: shown, call: String(call["id"]), name, isError },
        { ...origin, id: `${origin.id}#${String(call["id"])}` },
      ),
    ];
  });
  return [assistantMessage({ content, calls, usage: usageOf(record["tokens"]) }, origin), ...results];
}

function usageOf(value: unknown): Usage | undefined {
  if (!isJson(value)) return undefined;
  const [input, output, thoughts] = [
    numberOf(value["input"]),
    numberOf(value["output"]),
    numberOf(value["thoughts"]),
  ];
  if (input === undefined) return undefined;
  return { input, output: (output ?? 0) + (thoughts ?? 0), cacheRead: numberOf(value["cached"]) };
}

/** Returns the text of parts, as the API lists them. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map((part: unknown) =>
      isJson(part) ? (textOf(part["text"]) ?? JSON.stringify(part)) : (textOf(part) ?? ""),
    )
    .join("\n");
}

function resultText(result: unknown): string {
  const parts = (Array.isArray(result) ? result : [result]) as readonly unknown[];
  return parts
    .map((part) => {
      const answer =
        isJson(part) && isJson(part["functionResponse"]) ? part["functionResponse"]["response"] : undefined;
      if (!isJson(answer)) return textIn(part);
      return textOf(answer["output"] ?? answer["error"]) ?? JSON.stringify(answer);
    })
    .join("\n");
}

import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { ReadValue, SessionEvent, SessionFormat } from "../session-event.js";
import { asText, factsOf, isHarnessText, textsOf } from "./codex-content.js";
import {
  argumentsOf,
  assistantMessage,
  isJson,
  joined,
  listOf,
  numberOf,
  resultMessage,
  systemMessage,
  textOf,
  userMessage,
  type Answer,
  type Json,
  type Origin,
} from "./make-message.js";

/** Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, one record a line. */
export const codex: SessionFormat = {
  name: "codex",
  agent: "Codex",
  versions: "0.32 to 0.120 (records with type and payload), and the bare items of earlier versions",
  sources: [
    "https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs",
    "https://github.com/openai/codex/blob/main/codex-rs/protocol/src/models.rs",
  ],
  detects: (value) =>
    isJson(value) &&
    ((isJson(value["payload"]) && typeof value["type"] === "string" && value["type"] in records) ||
      (typeof value["id"] === "string" &&
        "timestamp" in value &&
        "instructions" in value &&
        !("type" in value))),
  open: () => new CodexReader().read,
};

type Handler = (reader: CodexReader, payload: Json, origin: Origin) => readonly SessionEvent[];

const records: Readonly<Record<string, Handler>> = {
  session_meta: (_, payload) => factsOf(payload),
  turn_context: (_, payload) => factsOf(payload),
  response_item: (reader, payload, origin) => reader.item(payload, origin),
  compacted: (reader, payload, origin) => reader.compacted(payload, origin),
  event_msg: (reader, payload) => reader.event(payload),
  world_state: () => [{ kind: "note", what: "state of the world" }],
  inter_agent_communication: () => [{ kind: "note", what: "message between agents" }],
  inter_agent_communication_metadata: () => [{ kind: "note", what: "message between agents" }],
};

/** Items of the model's answer, and the calls among them, with the name of their arguments. */
const calls: Readonly<Record<string, (item: Json) => { readonly name: string; readonly args: unknown }>> = {
  function_call: (item) => ({ name: String(item["name"]), args: item["arguments"] }),
  custom_tool_call: (item) => ({ name: String(item["name"]), args: item["input"] }),
  local_shell_call: (item) => ({ name: "local_shell", args: item["action"] }),
  tool_search_call: (item) => ({ name: "tool_search", args: item["arguments"] }),
};
const results = new Set(["function_call_output", "custom_tool_call_output", "tool_search_output"]);

class CodexReader {
  #answer: AIMessage | undefined;
  /** Whether the next item still belongs to the answer. */
  #isOpen = false;
  readonly #names = new Map<string, string>();
  /** Ids of all messages, and the texts of the user's: a compaction repeats those that it keeps. */
  readonly #line: string[] = [];
  readonly #said: { readonly id: string; readonly text: string }[] = [];
  #promptTokens: number | undefined;

  readonly read: ReadValue = (value, { line }) => {
    if (!isJson(value)) return [{ kind: "unknown", what: "a value that is no object" }];
    const origin = { id: `line-${line}`, line, time: value["timestamp"] };
    const type = textOf(value["type"]) ?? "";
    const { payload } = value;
    if (isJson(payload)) return records[type]?.(this, payload, origin) ?? [{ kind: "unknown", what: type }];
    if ("record_type" in value) return [{ kind: "note", what: "state" }];
    if ("instructions" in value && type === "") return factsOf(value);
    return type === "" ? [{ kind: "unknown", what: "no type" }] : this.item(value, origin);
  };

  item(item: Json, origin: Origin): readonly SessionEvent[] {
    const type = textOf(item["type"]) ?? "";
    const call = calls[type]?.(item);
    if (call !== undefined) {
      const id = textOf(item["call_id"] ?? item["id"]) ?? origin.id;
      this.#names.set(id, call.name);
      return this.#say(
        { content: "", calls: [{ id, name: call.name, args: argumentsOf(call.args) }] },
        origin,
      );
    }
    if (results.has(type)) return this.#result(item, origin);
    if (type === "message") return this.#message(item, origin);
    if (type === "reasoning") return this.#say({ content: [item] }, origin);
    if (type === "web_search_call" || type === "image_generation_call")
      return this.#say({ content: [item] }, origin);
    if (type === "ghost_snapshot" || type === "compaction" || type === "context_compaction")
      return [{ kind: "note", what: type.replaceAll("_", " ") }];
    return [{ kind: "unknown", what: `response_item: ${type}` }];
  }

  #message(item: Json, origin: Origin): readonly SessionEvent[] {
    const content = listOf(item["content"]).filter(isJson);
    if (item["role"] === "assistant") return this.#say({ content: content.map(asText) }, origin);
    const text = textsOf(content);
    const shown = content.every((block) => typeof block["text"] === "string") ? text : content.map(asText);
    if (item["role"] === "user") {
      const isMeta = isHarnessText(text);
      if (!isMeta) this.#said.push({ id: origin.id, text });
      return this.#add(userMessage(shown, { ...origin, isMeta }));
    }
    // Instructions of the developer in the middle of a thread are no system prompt.
    return this.#add(
      this.#line.length === 0
        ? systemMessage(shown, origin)
        : userMessage(shown, { ...origin, isMeta: true }),
    );
  }

  /** The items of one answer are one message. A call after a result belongs to the next answer. */
  #say(answer: Answer, origin: Origin): readonly SessionEvent[] {
    const earlier = this.#isOpen ? this.#answer : undefined;
    const message = joined(earlier, assistantMessage(answer, { ...origin, id: earlier?.id ?? origin.id }));
    const events = this.#add(message);
    this.#answer = message;
    this.#isOpen = true;
    return events;
  }

  #add(message: BaseMessage): readonly SessionEvent[] {
    this.#isOpen = false;
    const { id = "" } = message;
    if (this.#line.at(-1) !== id) this.#line.push(id);
    return [{ kind: "message", message }];
  }

  #result(item: Json, origin: Origin): readonly SessionEvent[] {
    const call = textOf(item["call_id"]) ?? origin.id;
    const { output } = item;
    const body = isJson(output) ? (output["content"] ?? output["body"]) : output;
    const isError = isJson(output) && output["success"] === false;
    const texts = textsOf(listOf(body).filter(isJson));
    const content = typeof body === "string" ? body : texts === "" ? JSON.stringify(body ?? "") : texts;
    return this.#add(resultMessage({ content, call, isError, name: this.#names.get(call) }, origin));
  }

  compacted(payload: Json, origin: Origin): readonly SessionEvent[] {
    this.#isOpen = false;
    const history = listOf(payload["replacement_history"]).filter(isJson);
    const texts = history.map((item) => textsOf(listOf(item["content"]).filter(isJson)));
    const repeated = new Set(texts);
    // Earlier versions record no history: they keep the messages of the user.
    const isRecorded = Array.isArray(payload["replacement_history"]);
    const keeps = this.#said.filter(({ text }) => !isRecorded || repeated.has(text)).map(({ id }) => id);
    const message = textOf(payload["message"]) ?? "";
    const compaction = {
      id: origin.id,
      summary: message === "" ? (texts.at(-1) ?? "") : message,
      keeps,
      ...(this.#promptTokens === undefined ? {} : { tokensBefore: this.#promptTokens }),
    };
    return [{ kind: "compaction", compaction }];
  }

  event(payload: Json): readonly SessionEvent[] {
    const type = textOf(payload["type"]) ?? "unknown";
    if (type === "thread_rolled_back") return this.#rolledBack(numberOf(payload["num_turns"]) ?? 0);
    if (type !== "token_count" || !isJson(payload["info"])) return [{ kind: "note", what: `event: ${type}` }];
    const { info } = payload;
    const window = numberOf(info["model_context_window"]);
    const facts: readonly SessionEvent[] = window === undefined ? [] : [{ kind: "facts", facts: { window } }];
    return [...facts, ...this.#usage(isJson(info["last_token_usage"]) ? info["last_token_usage"] : {})];
  }

  /** The tokens of a call are reported after its answer. */
  #usage(usage: Json): readonly SessionEvent[] {
    const answer = this.#answer;
    const input = numberOf(usage["input_tokens"]);
    this.#promptTokens = input ?? this.#promptTokens;
    if (answer === undefined || input === undefined || answer.usage_metadata !== undefined)
      return [{ kind: "note", what: "event: token_count" }];
    const output = numberOf(usage["output_tokens"]) ?? 0;
    const cacheRead = numberOf(usage["cached_input_tokens"]);
    const { line = 0, timestamp } = answer.response_metadata as { line?: number; timestamp?: unknown };
    const origin = { id: answer.id ?? "", line, time: timestamp };
    const message = joined(
      answer,
      assistantMessage({ content: "", usage: { input, output, cacheRead } }, origin),
    );
    this.#answer = message;
    return [{ kind: "message", message }];
  }

  #rolledBack(turns: number): readonly SessionEvent[] {
    const at = Math.max(0, this.#said.length - turns);
    const first = this.#said[at];
    if (turns <= 0 || first === undefined) return [{ kind: "note", what: "event: thread_rolled_back" }];
    this.#said.length = at;
    this.#line.length = Math.max(0, this.#line.indexOf(first.id));
    this.#isOpen = false;
    this.#answer = undefined;
    return [{ kind: "rewind", to: this.#line.at(-1) }];
  }
}

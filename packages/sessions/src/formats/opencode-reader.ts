import type { SessionEvent, SessionFacts } from "../session-event.js";
import {
  argumentsOf,
  assistantMessage,
  isJson,
  numberOf,
  resultMessage,
  textOf,
  userMessage,
  type Json,
  type Origin,
  type Usage,
} from "./make-message.js";

/** Reads the messages of one session of opencode, each with its parts, wherever they are stored. */
export class OpencodeReader {
  /** Ids of the messages so far. */
  readonly #shown: string[] = [];
  /** The first message that the next summary keeps. */
  #tail: string | undefined;
  /** Calls whose results opencode has cleared. */
  readonly #cleared: string[] = [];

  /** Returns the events of a message with its parts, in order. */
  message(head: Json, parts: readonly Json[], line: number): readonly SessionEvent[] {
    const time = isJson(head["time"]) ? head["time"]["created"] : undefined;
    const origin = { id: String(head["id"]), line, time };
    this.#cleared.push(...clearedCalls(parts));
    const request = parts.find((part) => part["type"] === "compaction");
    if (request !== undefined) {
      this.#tail = textOf(request["tail_start_id"]);
      return [{ kind: "note", what: "request for a compaction" }];
    }
    if (head["role"] === "assistant" && head["summary"] === true)
      return [this.#compaction(head, parts, origin)];
    const messages =
      head["role"] === "user" ? [userMessage(said(parts), origin)] : answers(head, parts, origin);
    this.#shown.push(...messages.map(({ id = "" }) => id));
    return messages.map((message): SessionEvent => ({ kind: "message", message }));
  }

  /**
   * Returns what is known at the end of a session. opencode clears old results without a record of when, so the newest state of
   * the context is known. A session that was reverted goes back before the message that it names.
   */
  end(session: Json, line: number): readonly SessionEvent[] {
    const placeholder = "[Old tool result content cleared]";
    const clearing = { id: `cleared-${line}`, calls: this.#cleared, placeholder };
    return [
      ...(this.#cleared.length === 0 ? [] : [{ kind: "clearing" as const, clearing }]),
      ...this.#reverted(session),
    ];
  }

  #reverted(session: Json): readonly SessionEvent[] {
    const revert = isJson(session["revert"]) ? session["revert"] : {};
    const [message, part] = [textOf(revert["messageID"]), textOf(revert["partID"])];
    const at = message === undefined || part !== undefined ? -1 : this.#shown.indexOf(message);
    return at < 0 ? [] : [{ kind: "rewind", to: this.#shown[at - 1] }];
  }

  #compaction(head: Json, parts: readonly Json[], { id }: Origin): SessionEvent {
    const at = this.#tail === undefined ? -1 : this.#shown.indexOf(this.#tail);
    const before = usageOf(head["tokens"])?.input;
    this.#tail = undefined;
    const compaction = {
      id,
      summary: textsOf(parts),
      keeps: at < 0 ? [] : this.#shown.slice(at),
      ...(before === undefined ? {} : { tokensBefore: before }),
    };
    return { kind: "compaction", compaction };
  }
}

/** Returns what a session of opencode says about itself. */
export function opencodeFacts(info: Json): SessionFacts {
  const [id, title] = [textOf(info["id"]), textOf(info["title"])];
  const [directory, version] = [textOf(info["directory"]), textOf(info["version"])];
  return {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
    ...(directory === undefined ? {} : { directory }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Returns the answer of a message and the results of its calls: opencode stores a call with its result. */
function answers(head: Json, parts: readonly Json[], origin: Origin) {
  const made = parts.filter((part) => part["type"] === "tool");
  const states = made.map((part) => (isJson(part["state"]) ? part["state"] : {}));
  const calls = made.map((part, at) => ({
    id: String(part["callID"]),
    name: String(part["tool"]),
    args: argumentsOf(states[at]?.["input"]),
  }));
  const content = parts.flatMap((part): readonly Json[] => {
    if (part["type"] === "text") return [{ type: "text", text: textOf(part["text"]) ?? "" }];
    return part["type"] === "reasoning" ? [{ type: "thinking", thinking: textOf(part["text"]) ?? "" }] : [];
  });
  const model = textOf(head["modelID"]);
  const answer = assistantMessage({ content, calls, usage: usageOf(head["tokens"]) }, { ...origin, model });
  const results = made.flatMap((part, at) => {
    const state = states[at] ?? {};
    const output = textOf(state["output"] ?? state["error"]);
    const call = calls[at];
    if (output === undefined || call === undefined) return [];
    const isError = state["status"] === "error";
    return [
      resultMessage(
        { content: output, call: call.id, name: call.name, isError },
        { ...origin, id: textOf(part["id"]) ?? `${origin.id}#${at}` },
      ),
    ];
  });
  return [answer, ...results];
}

function clearedCalls(parts: readonly Json[]): readonly string[] {
  return parts.flatMap((part) => {
    const time = isJson(part["state"]) && isJson(part["state"]["time"]) ? part["state"]["time"] : {};
    return numberOf(time["compacted"]) === undefined ? [] : [String(part["callID"])];
  });
}

function said(parts: readonly Json[]): string | readonly Json[] {
  const files = parts.filter((part) => part["type"] === "file" && typeof part["url"] === "string");
  const text = textsOf(parts);
  if (files.length === 0) return text;
  const images = files.map((part) => ({ type: "image_url", image_url: { url: part["url"] } }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...images];
}

function textsOf(parts: readonly Json[]): string {
  return parts.flatMap((part) => (part["type"] === "text" ? (textOf(part["text"]) ?? []) : [])).join("\n");
}

function usageOf(value: unknown): Usage | undefined {
  if (!isJson(value)) return undefined;
  const cache = isJson(value["cache"]) ? value["cache"] : {};
  const [cacheRead, cacheWrite] = [numberOf(cache["read"]) ?? 0, numberOf(cache["write"]) ?? 0];
  const input = (numberOf(value["input"]) ?? 0) + cacheRead + cacheWrite;
  const output = (numberOf(value["output"]) ?? 0) + (numberOf(value["reasoning"]) ?? 0);
  return input + output === 0 ? undefined : { input, output, cacheRead, cacheWrite };
}

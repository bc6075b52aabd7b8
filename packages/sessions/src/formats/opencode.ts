import type { SessionEvent, SessionFacts, SessionFormat } from "../session-event.js";
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

/** opencode: what `opencode export <session>` prints, one JSON value of a session with its messages and their parts. */
export const opencode: SessionFormat = {
  name: "opencode",
  agent: "opencode",
  versions: "0.5 to 1.2 (export of messages with parts)",
  sources: [
    "https://github.com/sst/opencode/blob/dev/packages/opencode/src/session/message-v2.ts",
    "https://opencode.ai/docs/cli/",
  ],
  detects: (value) => isJson(value) && isJson(value["info"]) && Array.isArray(value["messages"]),
  open: () => (value, place) =>
    isJson(value)
      ? new ExportReader(place.line).read(value)
      : [{ kind: "unknown", what: "a value that is no object" }],
};

/** Reads one export. */
class ExportReader {
  readonly #line: number;
  readonly #events: SessionEvent[] = [];
  /** Ids of the messages so far. */
  readonly #shown: string[] = [];
  /** The first message that the next summary keeps. */
  #tail: string | undefined;

  constructor(line: number) {
    this.#line = line;
  }

  read(value: Json): readonly SessionEvent[] {
    const list = listOf(value["messages"]).filter(isJson);
    this.#events.push({ kind: "facts", facts: factsOf(isJson(value["info"]) ? value["info"] : {}) });
    for (const { info, parts } of list) this.#add(isJson(info) ? info : {}, listOf(parts).filter(isJson));
    return [...this.#events, ...clearing(list, this.#line)];
  }

  #add(head: Json, parts: readonly Json[]): void {
    const time = isJson(head["time"]) ? head["time"]["created"] : undefined;
    const origin = { id: String(head["id"]), line: this.#line, time };
    const request = parts.find((part) => part["type"] === "compaction");
    if (request !== undefined) {
      this.#tail = textOf(request["tail_start_id"]);
      this.#events.push({ kind: "note", what: "request for a compaction" });
    } else if (head["role"] === "assistant" && head["summary"] === true) this.#compact(head, parts, origin);
    else {
      const messages =
        head["role"] === "user" ? [userMessage(said(parts), origin)] : answers(head, parts, origin);
      this.#events.push(...messages.map((message): SessionEvent => ({ kind: "message", message })));
      this.#shown.push(...messages.map(({ id = "" }) => id));
    }
  }

  #compact(head: Json, parts: readonly Json[], { id }: Origin): void {
    const at = this.#tail === undefined ? -1 : this.#shown.indexOf(this.#tail);
    const before = usageOf(head["tokens"])?.input;
    const compaction = {
      id,
      summary: textsOf(parts),
      keeps: at < 0 ? [] : this.#shown.slice(at),
      ...(before === undefined ? {} : { tokensBefore: before }),
    };
    this.#events.push({ kind: "compaction", compaction });
    this.#tail = undefined;
  }
}

function factsOf(info: Json): SessionFacts {
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

/** opencode clears old results without a record of when; the newest state of the context is known. */
function clearing(list: readonly Json[], line: number): readonly SessionEvent[] {
  const calls = list.flatMap(({ parts }) =>
    listOf(parts)
      .filter(isJson)
      .flatMap((part) => {
        const time = isJson(part["state"]) && isJson(part["state"]["time"]) ? part["state"]["time"] : {};
        return numberOf(time["compacted"]) === undefined ? [] : [String(part["callID"])];
      }),
  );
  if (calls.length === 0) return [];
  return [
    {
      kind: "clearing",
      clearing: { id: `cleared-${line}`, calls, placeholder: "[Old tool result content cleared]" },
    },
  ];
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

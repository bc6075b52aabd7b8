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
} from "./make-message.js";

/** pi: `~/.pi/agent/sessions/<directory>/<time>_<id>.jsonl`, one entry a line. */
export const pi: SessionFormat = {
  name: "pi",
  agent: "pi",
  versions: "session format 1 to 3",
  sources: ["https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session.md"],
  detects: (value) => isJson(value) && value["type"] === "session" && "id" in value && "timestamp" in value,
  open: () => new PiReader().read,
};

type Handler = (reader: PiReader, entry: Json, origin: Origin) => readonly SessionEvent[];

const entries: Readonly<Record<string, Handler>> = {
  session: (_, entry) => header(entry),
  message: (reader, entry, origin) => reader.message(entry, origin),
  custom_message: (_, entry, origin) => [
    { kind: "message", message: userMessage(contentOf(entry["content"]), { ...origin, isMeta: true }) },
  ],
  branch_summary: (_, entry, origin) => [
    { kind: "message", message: userMessage(textOf(entry["summary"]) ?? "", { ...origin, isMeta: true }) },
  ],
  compaction: (reader, entry, origin) => reader.compaction(entry, origin),
  model_change: (_, entry) => {
    const model = textOf(entry["modelId"]);
    return [{ kind: "facts", facts: model === undefined ? {} : { model } }];
  },
  session_info: (_, entry) => {
    const title = textOf(entry["name"]);
    return [{ kind: "facts", facts: title === undefined ? {} : { title } }];
  },
  thinking_level_change: () => [{ kind: "note", what: "thinking level" }],
  label: () => [{ kind: "note", what: "label" }],
  custom: () => [{ kind: "note", what: "state of an extension" }],
  context_transform: () => [{ kind: "note", what: "change of the context" }],
  ephemeral: () => [{ kind: "note", what: "context of one request" }],
};

class PiReader {
  /** Ids of the entries on this branch, in order, and whether each adds to the context. */
  #branch: { readonly id: string; readonly isShown: boolean }[] = [];

  readonly read: ReadValue = (value, { line }) => {
    if (!isJson(value)) return [{ kind: "unknown", what: "a value that is no object" }];
    const type = textOf(value["type"]) ?? "no type";
    const handler = entries[type];
    if (handler === undefined) return [{ kind: "unknown", what: type }];
    const origin = { id: textOf(value["id"]) ?? `line-${line}`, line, time: value["timestamp"] };
    if (type === "session") return handler(this, value, origin);
    const back = this.#back(value);
    const events = handler(this, value, origin);
    this.#branch.push({
      id: origin.id,
      isShown: events.some((one) => one.kind === "message" || one.kind === "compaction"),
    });
    return [...back, ...events];
  };

  /** An entry below one that is not the newest begins another branch. The first versions have no parents. */
  #back(entry: Json): readonly SessionEvent[] {
    if (!("parentId" in entry)) return [];
    const parent = textOf(entry["parentId"]);
    const at = parent === undefined ? -1 : this.#branch.findLastIndex(({ id }) => id === parent);
    if (at < 0 && parent !== undefined) return [];
    const left = this.#branch.slice(at + 1);
    if (left.length === 0) return [];
    this.#branch = this.#branch.slice(0, at + 1);
    if (!left.some(({ isShown }) => isShown)) return [];
    return [{ kind: "rewind", to: this.#branch.findLast(({ isShown }) => isShown)?.id }];
  }

  message(entry: Json, origin: Origin): readonly SessionEvent[] {
    const said = isJson(entry["message"]) ? entry["message"] : {};
    const message = messageOf(said, origin);
    return message === undefined
      ? [{ kind: "unknown", what: `message: ${textOf(said["role"]) ?? "no role"}` }]
      : [{ kind: "message", message }];
  }

  compaction(entry: Json, origin: Origin): readonly SessionEvent[] {
    const first = textOf(entry["firstKeptEntryId"]);
    const at =
      first === undefined
        ? numberOf(entry["firstKeptEntryIndex"])
        : this.#branch.findIndex(({ id }) => id === first);
    const keeps = at === undefined || at < 0 ? [] : this.#branch.slice(at).map(({ id }) => id);
    const tokensBefore = numberOf(entry["tokensBefore"]);
    const compaction = {
      id: origin.id,
      summary: textOf(entry["summary"]) ?? "",
      keeps,
      ...(tokensBefore === undefined ? {} : { tokensBefore }),
    };
    return [{ kind: "compaction", compaction }];
  }
}

type MessageOf = (
  said: Json,
  origin: Origin,
) => ReturnType<typeof userMessage> | ReturnType<typeof assistantMessage> | ReturnType<typeof resultMessage>;

const roles: Readonly<Record<string, MessageOf>> = {
  user: (said, origin) => userMessage(contentOf(said["content"]), origin),
  assistant: answerOf,
  toolResult: (said, origin) =>
    resultMessage(
      {
        content: contentOf(said["content"]),
        call: String(said["toolCallId"]),
        name: textOf(said["toolName"]),
        isError: said["isError"] === true,
      },
      origin,
    ),
  bashExecution: (said, origin) =>
    userMessage(
      `Ran \`${String(said["command"])}\` (exit code ${numberOf(said["exitCode"]) ?? "unknown"})\n${textOf(said["output"]) ?? ""}`,
      { ...origin, isMeta: true },
    ),
  custom: (said, origin) => userMessage(contentOf(said["content"]), { ...origin, isMeta: true }),
  hookMessage: (said, origin) => userMessage(contentOf(said["content"]), { ...origin, isMeta: true }),
  branchSummary: (said, origin) => userMessage(textOf(said["summary"]) ?? "", { ...origin, isMeta: true }),
};

function messageOf(said: Json, origin: Origin): ReturnType<MessageOf> | undefined {
  return roles[textOf(said["role"]) ?? ""]?.(said, origin);
}

function answerOf(said: Json, origin: Origin): ReturnType<typeof assistantMessage> {
  const blocks = listOf(said["content"]).filter(isJson);
  const calls = blocks
    .filter((block) => block["type"] === "toolCall")
    .map((block) => ({
      id: String(block["id"]),
      name: String(block["name"]),
      args: argumentsOf(block["arguments"]),
    }));
  const content = contentOf(blocks.filter((block) => block["type"] !== "toolCall"));
  return assistantMessage(
    { content, calls, usage: usageOf(said["usage"]) },
    { ...origin, model: textOf(said["model"]) },
  );
}

function usageOf(value: unknown):
  | {
      readonly input: number;
      readonly output: number;
      readonly cacheRead?: number;
      readonly cacheWrite?: number;
    }
  | undefined {
  if (!isJson(value)) return undefined;
  const [cacheRead, cacheWrite] = [numberOf(value["cacheRead"]) ?? 0, numberOf(value["cacheWrite"]) ?? 0];
  const input = (numberOf(value["input"]) ?? 0) + cacheRead + cacheWrite;
  const output = numberOf(value["output"]) ?? 0;
  return input + output === 0 ? undefined : { input, output, cacheRead, cacheWrite };
}

function contentOf(content: unknown): string | readonly Json[] {
  if (typeof content === "string") return content;
  const blocks = listOf(content).filter(isJson);
  return blocks.length === 1 && blocks[0]?.["type"] === "text"
    ? (textOf(blocks[0]["text"]) ?? "")
    : blocks.length === 0
      ? ""
      : blocks;
}

function header(entry: Json): readonly SessionEvent[] {
  const [id, directory, model] = [textOf(entry["id"]), textOf(entry["cwd"]), textOf(entry["modelId"])];
  const version = numberOf(entry["version"]);
  const facts = {
    ...(id === undefined ? {} : { id }),
    ...(directory === undefined ? {} : { directory }),
    ...(model === undefined ? {} : { model }),
    ...(version === undefined ? {} : { version: `session format ${version}` }),
  };
  return [{ kind: "facts", facts }];
}

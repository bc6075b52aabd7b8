import type { AIMessage } from "@langchain/core/messages";
import type { ReadValue, SessionEvent, SessionFacts, SessionFormat } from "../session-event.js";
import { ClaudeBranches } from "./claude-branches.js";
import { contentOf, isHarnessText, toolResults, usageOf } from "./claude-content.js";
import { attachment, claudeNotes, originOf, textIn } from "./claude-records.js";
import {
  argumentsOf,
  assistantMessage,
  isJson,
  joined,
  listOf,
  numberOf,
  resultMessage,
  textOf,
  userMessage,
  type Json,
  type Origin,
} from "./make-message.js";

/** Claude Code: `~/.claude/projects/<directory>/<session>.jsonl`, one record a line. */
export const claudeCode: SessionFormat = {
  name: "claude-code",
  agent: "Claude Code",
  versions: "2.0 to 2.1 (records with uuid and parentUuid)",
  sources: [
    "https://code.claude.com/docs/en/agent-sdk/session-storage",
    "https://www.npmjs.com/package/@anthropic-ai/claude-agent-sdk",
  ],
  detects: (value) =>
    isJson(value) &&
    ((typeof value["uuid"] === "string" && "parentUuid" in value) ||
      (typeof value["type"] === "string" && value["type"] in claudeNotes && hasSession(value))),
  open: () => new ClaudeCodeReader().read,
};

function hasSession(value: Json): boolean {
  return "sessionId" in value || "leafUuid" in value || "messageId" in value;
}

type Handler = (record: Json, origin: Origin, lane: string) => readonly SessionEvent[];

class ClaudeCodeReader {
  readonly #branches = new ClaudeBranches();
  readonly #newest = new Map<string, AIMessage>();
  /** The boundary of a compaction whose summary is the next record. */
  readonly #boundaries = new Map<string, Json>();
  readonly #names = new Map<string, string>();
  #facts: SessionFacts = {};

  readonly #handlers: Readonly<Record<string, Handler>> = {
    user: (record, origin, lane) => this.#user(record, origin, lane),
    assistant: (record, origin, lane) => this.#assistant(record, origin, lane),
    system: (record, origin, lane) => this.#system(record, origin, lane),
    attachment: (record, origin, lane) => attachment(record, origin, lane),
    progress: (record, origin) => this.#progress(record, origin),
  };

  readonly read: ReadValue = (value, place) => {
    if (!isJson(value)) return [{ kind: "unknown", what: "a value that is no object" }];
    const type = textOf(value["type"]) ?? "";
    const note = claudeNotes[type];
    const handler = this.#handlers[type];
    const lane = handler === undefined ? "" : this.#branches.laneOf(value);
    const facts = this.#branches.isOther(value) ? [] : this.#factsOf(value, type);
    if (note !== undefined) return [...facts, { kind: "note", what: note }];
    if (handler === undefined) return [...facts, { kind: "unknown", what: type === "" ? "no type" : type }];
    const events = handler(value, originOf(value, place), lane);
    this.#branches.add(value, lane, events);
    return [...facts, ...events];
  };

  #factsOf(record: Json, type: string): readonly SessionEvent[] {
    const message = type === "assistant" && isJson(record["message"]) ? record["message"] : {};
    const model = message["model"] === "<synthetic>" ? undefined : message["model"];
    const title = type === "summary" ? record["summary"] : (record["customTitle"] ?? record["aiTitle"]);
    const said = {
      id: record["sessionId"],
      directory: record["cwd"],
      version: record["version"],
      title,
      model,
    };
    const known = this.#facts as Json;
    const fresh = Object.entries(said).filter(
      ([name, fact]) => typeof fact === "string" && known[name] !== fact,
    );
    if (fresh.length === 0) return [];
    const facts: SessionFacts = Object.fromEntries(fresh);
    this.#facts = { ...this.#facts, ...facts };
    return [{ kind: "facts", facts }];
  }

  #user(record: Json, origin: Origin, lane: string): readonly SessionEvent[] {
    const { content } = isJson(record["message"]) ? record["message"] : { content: undefined };
    if (record["isCompactSummary"] === true) return this.#compaction(content, origin, lane);
    const results = toolResults(content).map(({ call, content: shown, isError }, at) =>
      resultMessage(
        { content: shown, call, isError, name: this.#names.get(call) },
        { ...origin, id: at === 0 ? origin.id : `${origin.id}#${at}` },
      ),
    );
    const events: SessionEvent[] = results.map((message) => ({ kind: "message", message, lane }));
    const rest = contentOf(
      listOf(content).filter((block) => !isJson(block) || block["type"] !== "tool_result"),
    );
    const said = typeof content === "string" ? content : rest;
    if (said.length === 0) return events.length > 0 ? events : [{ kind: "note", what: "empty message" }];
    const isMeta = record["isMeta"] === true || results.length > 0 || isHarnessText(said);
    const id = results.length === 0 ? origin.id : `${origin.id}#text`;
    const message = userMessage(said, { ...origin, id, isMeta });
    const back = isMeta ? [] : this.#branches.rewindTo(record, lane);
    return [...back, ...events, { kind: "message", message, lane }];
  }

  #compaction(content: unknown, origin: Origin, lane: string): readonly SessionEvent[] {
    const boundary = this.#boundaries.get(lane);
    this.#boundaries.delete(lane);
    this.#newest.delete(lane);
    const metadata = isJson(boundary?.["compactMetadata"]) ? boundary["compactMetadata"] : {};
    const [before, after] = [numberOf(metadata["preTokens"]), numberOf(metadata["postTokens"])];
    const trigger = textOf(metadata["trigger"]);
    const summary = typeof content === "string" ? content : textIn(content);
    const keeps = this.#branches.preserved(metadata);
    const compaction = {
      id: origin.id,
      summary,
      keeps,
      ...(trigger === undefined ? {} : { trigger }),
      ...(before === undefined ? {} : { tokensBefore: before }),
      ...(after === undefined ? {} : { tokensAfter: after }),
    };
    return [{ kind: "compaction", compaction, lane }];
  }

  #assistant(record: Json, origin: Origin, lane: string): readonly SessionEvent[] {
    const said = isJson(record["message"]) ? record["message"] : {};
    const id = textOf(said["id"]) ?? origin.id;
    const blocks = typeof said["content"] === "string" ? said["content"] : listOf(said["content"]);
    const calls = listOf(blocks).flatMap((block) =>
      isJson(block) && block["type"] === "tool_use"
        ? [{ id: String(block["id"]), name: String(block["name"]), args: argumentsOf(block["input"]) }]
        : [],
    );
    for (const call of calls) this.#names.set(call.id, call.name);
    const content =
      typeof blocks === "string"
        ? blocks
        : contentOf(blocks.filter((block) => !isJson(block) || block["type"] !== "tool_use"));
    const model = textOf(said["model"]);
    const next = assistantMessage(
      { content, calls, usage: usageOf(said["usage"]) },
      { ...origin, id, ...(model === undefined ? {} : { model }) },
    );
    const earlier = this.#newest.get(lane);
    const message = earlier?.id === id ? joined(earlier, next) : next;
    this.#newest.set(lane, message);
    return [{ kind: "message", message, lane }];
  }

  #system(record: Json, origin: Origin, lane: string): readonly SessionEvent[] {
    const subtype = textOf(record["subtype"]) ?? "system";
    if (subtype === "compact_boundary") {
      this.#boundaries.set(lane, record);
      return [{ kind: "note", what: "boundary of a compaction" }];
    }
    if (subtype !== "microcompact_boundary" || !isJson(record["microcompactMetadata"]))
      return [{ kind: "note", what: `system: ${subtype}` }];
    const metadata = record["microcompactMetadata"];
    const [before, saved] = [numberOf(metadata["preTokens"]), numberOf(metadata["tokensSaved"])];
    const trigger = textOf(metadata["trigger"]);
    const calls = listOf(metadata["compactedToolIds"]).map(String);
    const clearing = {
      id: origin.id,
      calls,
      placeholder: "[Old tool result content cleared]",
      ...(trigger === undefined ? {} : { trigger }),
      ...(before === undefined ? {} : { tokensBefore: before }),
      ...(saved === undefined ? {} : { tokensSaved: saved }),
    };
    return [{ kind: "clearing", clearing, lane }];
  }

  /** What a subagent says arrives in records of its progress. */
  #progress(record: Json, origin: Origin): readonly SessionEvent[] {
    const data = isJson(record["data"]) ? record["data"] : {};
    const nested = data["message"];
    const agent = textOf(data["agentId"]);
    const handler = isJson(nested) ? this.#handlers[textOf(nested["type"]) ?? ""] : undefined;
    if (agent === undefined || !isJson(nested) || handler === undefined || nested["type"] === "progress")
      return [{ kind: "note", what: `progress: ${textOf(data["type"]) ?? "unknown"}` }];
    return handler(nested, originOf(nested, origin), agent);
  }
}

import type { SessionEvent } from "../session-event.js";
import { isJson, listOf, textOf, type Json } from "./make-message.js";

interface Node {
  readonly parent: string | undefined;
  readonly lane: string;
  /** The last message that the record has added; undefined for one that the model is not sent. */
  readonly message: string | undefined;
}

interface Said {
  readonly id: string;
  /** What the user asked and what the model answered: what comes after an older one is on another branch. */
  readonly isTurn: boolean;
}

/**
 * Follows `parentUuid`. Results of parallel calls and records of progress also fork the tree; only a prompt of the user that
 * goes back past a turn begins another branch.
 */
export class ClaudeBranches {
  readonly #nodes = new Map<string, Node>();
  readonly #lines = new Map<string, Said[]>();

  /** The session that began the file. */
  #main: string | undefined;
  /** Sessions that another process has written into the file, beside it. */
  readonly #others = new Set<string>();

  /** Returns the conversation that a record belongs to: "" for the main one, else a name of the subagent or the other session. */
  laneOf(record: Json): string {
    if (record["isSidechain"] !== true) return this.#sessionOf(record);
    const agent = textOf(record["agentId"]);
    if (agent !== undefined) return agent;
    const parent = this.#nodes.get(textOf(record["parentUuid"]) ?? "");
    return parent !== undefined && parent.lane !== "" ? parent.lane : (textOf(record["uuid"]) ?? "sidechain");
  }

  /** True for a record of another session in the file: it says nothing about this one. */
  isOther(record: Json): boolean {
    return this.#others.has(textOf(record["sessionId"]) ?? "");
  }

  /** A session that was resumed goes on below its old records; another one begins below no record of the file. */
  #sessionOf(record: Json): string {
    const session = textOf(record["sessionId"]) ?? "";
    this.#main ??= session;
    const above = this.#nodes.get(parentOf(record) ?? "");
    if (above !== undefined) return this.#others.has(above.lane) ? above.lane : "";
    const isOther = session !== this.#main && session !== "";
    if (isOther) this.#others.add(session);
    return this.#others.has(session) ? session : "";
  }

  add(record: Json, lane: string, events: readonly SessionEvent[]): void {
    const line = this.#lines.get(lane) ?? [];
    this.#lines.set(lane, line);
    let newest: string | undefined;
    for (const event of events) {
      // What a subagent says is no part of this line.
      if (event.kind === "compaction" && event.lane === lane)
        newest = this.#note(line, event.compaction.id, true);
      if (event.kind !== "message" || event.lane !== lane || event.message.id === undefined) continue;
      const { message } = event;
      const isPrompt = message.getType() === "human" && message.response_metadata["isMeta"] !== true;
      newest = this.#note(line, event.message.id, isPrompt || message.getType() === "ai");
    }
    const uuid = textOf(record["uuid"]);
    if (uuid === undefined) return;
    this.#nodes.set(uuid, { parent: parentOf(record), lane, message: newest });
  }

  #note(line: Said[], id: string, isTurn: boolean): string {
    // An answer of several records stands where its first record stands.
    if (!line.slice(-20).some((said) => said.id === id)) line.push({ id, isTurn });
    return id;
  }

  /** Returns the event of a prompt that goes back, or nothing. */
  rewindTo(record: Json, lane: string): readonly SessionEvent[] {
    const line = this.#lines.get(lane) ?? [];
    if (line.length === 0) return [];
    const uuid = textOf(record["parentUuid"]);
    const found = uuid === undefined ? undefined : this.#messageAbove(uuid);
    // A parent that is not in the file says nothing.
    if (found === "unknown") return [];
    const at = found === undefined ? -1 : line.findLastIndex(({ id }) => id === found);
    if (found !== undefined && at < 0) return [];
    if (!line.slice(at + 1).some(({ isTurn }) => isTurn)) return [];
    line.length = at + 1;
    return [{ kind: "rewind", to: found, lane }];
  }

  /** Returns the nearest message above a record, undefined at the beginning of the file. */
  #messageAbove(uuid: string): string | undefined {
    for (let at: string | undefined = uuid; at !== undefined;) {
      const node = this.#nodes.get(at);
      if (node === undefined) return "unknown";
      if (node.message !== undefined) return node.message;
      at = node.parent;
    }
    return undefined;
  }

  /** Returns the messages that a compaction has kept: listed one by one, or by the first and the last of them. */
  preserved(metadata: Json): readonly string[] {
    const listed = isJson(metadata["preservedMessages"])
      ? listOf(metadata["preservedMessages"]["uuids"])
      : [];
    const segment = isJson(metadata["preservedSegment"]) ? metadata["preservedSegment"] : {};
    const head = textOf(segment["headUuid"]);
    const kept = listed.map(String);
    for (let at = textOf(segment["tailUuid"]); listed.length === 0 && at !== undefined;) {
      kept.push(at);
      if (at === head) break;
      const node = this.#nodes.get(at);
      // A walk that does not reach the first message says nothing.
      if (node === undefined) return [];
      at = node.parent;
    }
    return [...new Set(kept.flatMap((uuid) => this.#nodes.get(uuid)?.message ?? []))];
  }
}

function parentOf(record: Json): string | undefined {
  return textOf(record["parentUuid"] ?? record["logicalParentUuid"]);
}

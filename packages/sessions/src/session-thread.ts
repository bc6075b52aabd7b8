import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { RecordedClearing, RecordedCompaction, SessionEvent } from "./session-event.js";

/** The parts of a context around a compaction. The new context is `[...head, ...carried, <summary>, ...tail]`. */
export interface CompactedParts {
  /** System messages at the start. */
  readonly head: readonly BaseMessage[];
  /** All messages between head and tail, in order. */
  readonly region: readonly BaseMessage[];
  /** Messages of the region that stay. */
  readonly carried: readonly BaseMessage[];
  /** Messages of the region that the summary replaces. */
  readonly folded: readonly BaseMessage[];
  readonly tail: readonly BaseMessage[];
}

/** What an event has changed. */
export type SessionChange =
  | { readonly kind: "message"; readonly message: BaseMessage }
  | { readonly kind: "rewind"; readonly to: string | undefined }
  | {
      readonly kind: "compaction";
      readonly compaction: RecordedCompaction;
      readonly parts: CompactedParts;
      readonly standIn: BaseMessage;
    }
  | {
      readonly kind: "clearing";
      readonly clearing: RecordedClearing;
      readonly cleared: readonly BaseMessage[];
    };

export interface SessionThreadOptions {
  /** Returns the message in place of what a compaction replaces. @default a message of the user with the summary */
  readonly standIn?: (compaction: RecordedCompaction, parts: CompactedParts) => BaseMessage;
  /** Returns the message in place of a result that was cleared. @default the result with the placeholder as its content */
  readonly cleared?: (result: BaseMessage, clearing: RecordedClearing) => BaseMessage;
}

type Entry =
  | { readonly message: BaseMessage }
  | { readonly compaction: RecordedCompaction; readonly standIn: BaseMessage }
  | { readonly clearing: RecordedClearing; readonly cleared: ReadonlyMap<string, BaseMessage> };

/** One conversation of a session: what happened on its newest branch, and what the model was sent at the last event. */
export class SessionThread {
  #entries: Entry[] = [];
  #context: BaseMessage[] = [];
  #ids = new Set<string>();
  readonly #standIn: NonNullable<SessionThreadOptions["standIn"]>;
  readonly #cleared: NonNullable<SessionThreadOptions["cleared"]>;

  constructor({ standIn = plainStandIn, cleared = plainCleared }: SessionThreadOptions = {}) {
    this.#standIn = standIn;
    this.#cleared = cleared;
  }

  /** The messages that the model is sent. The list changes with the next event: copy it to keep it. */
  get context(): readonly BaseMessage[] {
    return this.#context;
  }

  /** All messages of the newest branch, as they happened. */
  get happened(): readonly BaseMessage[] {
    return this.#entries.flatMap((entry) => ("message" in entry ? [entry.message] : []));
  }

  /** True for the id of a message of this branch. A message with it replaces that one. */
  has(id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(id);
  }

  /** Returns what an event has changed; undefined for one that changes nothing. */
  apply(event: SessionEvent): SessionChange | undefined {
    switch (event.kind) {
      case "message":
        return this.#add(event.message);
      case "rewind":
        return this.#rewind(event.to);
      case "compaction":
        return this.#compact(event.compaction);
      case "clearing":
        return this.#clear(event.clearing);
      default:
        return undefined;
    }
  }

  /** Puts messages in place of those with the same id: a stand-in gets its seal after it was made. */
  settle(messages: readonly BaseMessage[]): void {
    const byId = new Map(messages.map((message) => [message.id, message]));
    this.#context = this.#context.map((message) => byId.get(message.id) ?? message);
    this.#entries = this.#entries.map((entry) => {
      if ("standIn" in entry) return { ...entry, standIn: byId.get(entry.standIn.id) ?? entry.standIn };
      if (!("cleared" in entry)) return entry;
      const cleared = [...entry.cleared].map(([id, message]) => [id, byId.get(id) ?? message] as const);
      return { ...entry, cleared: new Map(cleared) };
    });
  }

  #add(message: BaseMessage): SessionChange {
    const id = message.id ?? "";
    if (this.#ids.has(id)) {
      const at = this.#context.findLastIndex((known) => known.id === id);
      if (at >= 0) this.#context[at] = message;
      const entry = this.#entries.findLastIndex((known) => "message" in known && known.message.id === id);
      this.#entries[entry] = { message };
    } else {
      this.#ids.add(id);
      this.#context.push(message);
      this.#entries.push({ message });
    }
    return { kind: "message", message };
  }

  #rewind(to: string | undefined): SessionChange {
    const at = to === undefined ? -1 : this.#entries.findLastIndex((entry) => isOf(idOf(entry), to));
    this.#entries = this.#entries.slice(0, at + 1);
    this.#context = [];
    for (const entry of this.#entries) this.#replay(entry);
    this.#ids = new Set(this.#entries.flatMap((entry) => ("message" in entry ? [idOf(entry)] : [])));
    return { kind: "rewind", to };
  }

  #replay(entry: Entry): void {
    if ("message" in entry) this.#context.push(entry.message);
    else if ("compaction" in entry) {
      const { head, carried, tail } = compactedParts(this.#context, entry.compaction.keeps);
      this.#context = [...head, ...carried, entry.standIn, ...tail];
    } else this.#context = this.#context.map((message) => entry.cleared.get(message.id ?? "") ?? message);
  }

  #compact(compaction: RecordedCompaction): SessionChange {
    const parts = compactedParts(this.#context, compaction.keeps);
    // A session that continues another one begins with its summary: what that replaces is not in the file.
    if (parts.folded.length === 0) return this.#add(plainStandIn(compaction));
    const standIn = this.#standIn(compaction, parts);
    this.#context = [...parts.head, ...parts.carried, standIn, ...parts.tail];
    this.#entries.push({ compaction, standIn });
    return { kind: "compaction", compaction, parts, standIn };
  }

  #clear(clearing: RecordedClearing): SessionChange {
    const calls = new Set(clearing.calls);
    const results = this.#context.filter(
      (message): message is ToolMessage =>
        message.getType() === "tool" && calls.has((message as ToolMessage).tool_call_id),
    );
    const cleared = new Map(results.map((result) => [result.id ?? "", this.#cleared(result, clearing)]));
    this.#context = this.#context.map((message) => cleared.get(message.id ?? "") ?? message);
    this.#entries.push({ clearing, cleared });
    return { kind: "clearing", clearing, cleared: results };
  }
}

/**
 * Returns the parts of a context when all is replaced but the messages with the ids in `keeps`. Kept messages at the end stay
 * after the summary, others before it. Pure.
 */
export function compactedParts(context: readonly BaseMessage[], keeps: readonly string[]): CompactedParts {
  const kept = new Set(keeps);
  const stays = ({ id = "" }: BaseMessage): boolean => kept.has(id) || kept.has(recordOf(id));
  const start = context.findIndex((message) => message.getType() !== "system");
  const first = start < 0 ? context.length : start;
  const end = context.findLastIndex((message) => !stays(message)) + 1;
  const region = context.slice(first, Math.max(first, end));
  const isCarried = (message: BaseMessage): boolean => stays(message) || message.getType() === "system";
  return {
    head: context.slice(0, first),
    region,
    carried: region.filter(isCarried),
    folded: region.filter((message) => !isCarried(message)),
    tail: context.slice(Math.max(first, end)),
  };
}

/** Several messages of one record have its id before a `#`. */
function recordOf(id: string): string {
  const at = id.indexOf("#");
  return at < 0 ? id : id.slice(0, at);
}

function isOf(id: string, record: string): boolean {
  return id === record || recordOf(id) === record;
}

function idOf(entry: Entry): string {
  if ("message" in entry) return entry.message.id ?? "";
  return "compaction" in entry ? entry.compaction.id : entry.clearing.id;
}

function plainStandIn({ id, summary }: RecordedCompaction): BaseMessage {
  return new HumanMessage({ id, content: summary, response_metadata: { isMeta: true } });
}

function plainCleared(result: BaseMessage, { placeholder }: RecordedClearing): BaseMessage {
  return new ToolMessage({
    ...(result as ToolMessage).lc_kwargs,
    content: placeholder,
  } as ConstructorParameters<typeof ToolMessage>[0] & object);
}

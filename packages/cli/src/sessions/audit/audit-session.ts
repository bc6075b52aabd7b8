import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { readSession, SessionThread, type SessionChange, type SessionFacts } from "@palimpsest/sessions";
import { chunksOf, sessionName } from "../session-files.js";
import { compactionCost, type CompactionCost } from "./compaction-cost.js";
import { itemsOf, type AuditItem } from "./audit-items.js";
import { reworkOf, type Rework } from "./rework.js";

/** What one compaction has done. */
export interface AuditedCompaction {
  readonly line: number;
  /** The subagent whose context was compacted; empty for the main conversation. */
  readonly agent: string;
  readonly trigger: string | undefined;
  /** Messages that the summary replaced, and that stayed. */
  readonly folded: number;
  readonly kept: number;
  readonly summary: string;
  /** What must not be lost, and what became of it: worst losses first. */
  readonly items: readonly AuditItem[];
  readonly rework: readonly Rework[];
  readonly cost: CompactionCost;
}

export interface SessionAudit {
  readonly session: string;
  readonly file: string;
  readonly format: string;
  readonly facts: SessionFacts;
  readonly bytes: number;
  readonly records: number;
  readonly messages: number;
  readonly unknown: number;
  /** Lines that could not be read, with the reason. */
  readonly broken: readonly string[];
  readonly compactions: readonly AuditedCompaction[];
}

/** Reads a session and says of each of its compactions what it lost. Throws a SessionError for a file that is no session. */
export async function auditSession(path: string): Promise<SessionAudit> {
  return new SessionAuditor(path).run();
}

type Compacted = Extract<SessionChange, { readonly kind: "compaction" }>;

/** A compaction, and the messages of its conversation up to the next one. */
interface Followed {
  readonly line: number;
  readonly agent: string;
  readonly change: Compacted;
  /** What the model was sent after it. */
  readonly context: readonly BaseMessage[];
  readonly after: Map<string, BaseMessage>;
}

class SessionAuditor {
  readonly #path: string;
  readonly #threads = new Map<string, SessionThread>();
  readonly #open = new Map<string, Followed>();
  readonly #all: Followed[] = [];
  readonly #broken: string[] = [];
  #facts: SessionFacts = {};
  #format = "";
  #main: string | undefined;
  #counts = { bytes: 0, records: 0, unknown: 0 };

  constructor(path: string) {
    this.#path = path;
  }

  async run(): Promise<SessionAudit> {
    const onFormat = ({ name }: { readonly name: string }): void => void (this.#format = name);
    for await (const { place, events } of readSession(chunksOf(this.#path), { name: this.#path, onFormat })) {
      this.#counts.bytes += place.bytes;
      this.#counts.records += 1;
      for (const event of events) {
        if (event.kind === "facts") this.#facts = { ...this.#facts, ...event.facts };
        else if (event.kind === "unknown") this.#counts.unknown += 1;
        else if (event.kind === "broken") this.#broken.push(`line ${place.line}: ${event.why}`);
        else if (event.kind !== "note")
          this.#follow(this.#threadOf(event.lane ?? "").apply(event), event.lane ?? "", place.line);
      }
    }
    const messages = [...this.#threads.values()].reduce((sum, thread) => sum + thread.happened.length, 0);
    return {
      session: sessionName(this.#path),
      file: this.#path,
      format: this.#format,
      facts: this.#facts,
      ...this.#counts,
      messages,
      broken: this.#broken,
      compactions: this.#all.map((followed) => relative(auditOf(followed), this.#facts.directory)),
    };
  }

  #threadOf(lane: string): SessionThread {
    this.#main ??= lane;
    const known = this.#threads.get(lane) ?? new SessionThread();
    this.#threads.set(lane, known);
    return known;
  }

  // oxlint-disable-next-line max-params -- a change, whose it is, and where it is
  #follow(change: SessionChange | undefined, lane: string, line: number): void {
    if (change?.kind === "message" && change.message.id !== undefined)
      this.#open.get(lane)?.after.set(change.message.id, change.message);
    if (change?.kind !== "compaction") return;
    const context = [...this.#threadOf(lane).context];
    const followed = {
      line,
      agent: lane === this.#main ? "" : lane,
      change,
      context,
      after: new Map<string, BaseMessage>(),
    };
    this.#open.set(lane, followed);
    this.#all.push(followed);
  }
}

/** Returns the compaction with paths relative to the directory of the session, as the agent's user would write them. */
function relative(compaction: AuditedCompaction, directory: string | undefined): AuditedCompaction {
  if (directory === undefined || directory.length < 2) return compaction;
  const below = `${directory.replace(/\/$/, "")}/`;
  const shorter = (text: string): string => text.replaceAll(below, "");
  return {
    ...compaction,
    items: compaction.items.map((item) => ({ ...item, text: shorter(item.text) })),
    rework: compaction.rework.map((one) => ({ ...one, call: shorter(one.call) })),
  };
}

function auditOf({ line, agent, change, context, after }: Followed): AuditedCompaction {
  const { compaction, parts } = change;
  const later = [...after.values()];
  const before = [...parts.head, ...parts.region, ...parts.tail];
  const rework = reworkOf(parts.folded, later);
  return {
    line,
    agent,
    trigger: compaction.trigger,
    folded: parts.folded.length,
    kept: parts.carried.length + parts.tail.length,
    summary: compaction.summary,
    items: itemsOf({ region: parts.region, context, later, summary: compaction.summary }),
    rework,
    cost: compactionCost({
      tokensBefore: compaction.tokensBefore ?? estimateTokens(before),
      isReported: compaction.tokensBefore !== undefined,
      contextAfter: context,
      summary: compaction.summary,
      later,
      rework,
    }),
  };
}

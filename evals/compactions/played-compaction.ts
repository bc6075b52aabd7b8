import type { BaseMessage } from "@langchain/core/messages";
import type { Trajectory } from "../data/trajectory.js";

/** A recorded compaction: the thread before it, the summary that replaced it, and what the agent did then. */
export interface PlayedCompaction {
  readonly set: string;
  readonly session: string;
  /** The half of its set's sessions, in the order of their names. */
  readonly half: "first" | "second";
  /** Counted from 1 in its session. */
  readonly number: number;
  readonly past: readonly BaseMessage[];
  readonly summary: string;
  /** Up to the next compaction, or the end of the session. */
  readonly after: readonly BaseMessage[];
}

/** Returns the compactions of the runs of one set. A session is in one half with all of its compactions. */
export function compactionsOf(runs: readonly Trajectory[]): readonly PlayedCompaction[] {
  const having = runs
    .filter(({ compactions = [] }) => compactions.length > 0)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return having.flatMap(({ set, id, messages, compactions = [] }, at) =>
    compactions.map(({ before, summary }, index) => ({
      set,
      session: id,
      half: at < having.length / 2 ? ("first" as const) : ("second" as const),
      number: index + 1,
      past: messages.slice(0, before),
      summary,
      after: messages.slice(before, compactions[index + 1]?.before),
    })),
  );
}

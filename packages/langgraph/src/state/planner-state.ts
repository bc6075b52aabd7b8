import type { ThreadPace } from "@palimpsest/context";

/** What the planner remembers of the last compaction. Money is in the currency of the prices. */
export interface PlannerState {
  /** The steps that were folded, in all, and their tokens. */
  readonly folded: ThreadPace;
  /** Steps of the thread at the last compaction. */
  readonly steps: number;
  /** What that compaction cost, and what every step since has saved by it. */
  readonly cost: number;
  readonly savingPerStep: number;
}

/** When the model was called last, as the node before it saw it. */
export interface LastCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Id of the newest message that it was sent. */
  readonly after: string;
}

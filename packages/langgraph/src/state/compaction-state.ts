import type { Goal } from "@palimpsest/context";
import type { SkipCause } from "../context-event.js";
import type { LastCall, PlannerState } from "./planner-state.js";
import type { PreparedSpan } from "./prepared-span.js";

/** What has to live between steps for compaction, in the state channel `compaction`. All fields are optional. */
export interface CompactionState {
  /** Tokens that are sent beside the messages (system prompt, tool schemas), as last measured. */
  readonly overheadTokens?: number;
  /** What the provider counts for a token of the counter, as last measured. */
  readonly tokenRatio?: number;
  /** Id of the newest message when folds were last opened: usage reported up to it is out of date. */
  readonly unfoldedAt?: string;
  /** Size at which a due compaction was last refused: it is not tried again before the context has grown. */
  readonly refusedAt?: number;
  /** Why that was: the caller is told a cause once, not at every try. "" once there is none. */
  readonly refusedFor?: SkipCause | "";
  /** What the planner remembers of the last compaction. */
  readonly planner?: PlannerState;
  /** The span whose summary is written ahead. */
  readonly prepared?: PreparedSpan | undefined;
  /** When the model was called last; written where a planner needs it and messages do not tell. */
  readonly lastCall?: LastCall;
  /** Goals of a thread whose context folds, oldest first; the last one is current. */
  readonly goals?: readonly Goal[];
  /** Id of the model's message whose fold directive was looked at last. */
  readonly directedBy?: string;
}

/** Returns `current` with the fields of `update` over it. Pure, idempotent, tolerates undefined and null. */
export function mergeCompaction(
  current: CompactionState | null | undefined,
  update: CompactionState | null | undefined,
): CompactionState {
  return { ...current, ...update };
}

import type { Goal, ReadArchive } from "@palimpsest/context";
import type { ResolvedFoldOptions } from "./fold-options.js";

/** What a fold goes by, besides the messages. */
export interface PlanFoldOptions {
  readonly options: ResolvedFoldOptions;
  readonly read: ReadArchive;
  readonly goals: readonly Goal[];
  /** Id of the newest message when folds were last opened by hand: what was opened stays open. */
  readonly unfoldedAt?: string | undefined;
  /** Id of the model's message whose directive was looked at last. */
  readonly directedBy?: string | undefined;
}

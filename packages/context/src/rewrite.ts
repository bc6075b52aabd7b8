import type { BaseMessage } from "@langchain/core/messages";
import type { Certificate } from "./certificate/certificate.js";
import type { Fold } from "./fold.js";

/** A file that must be in the archive before the rewrite it belongs to is applied. */
export interface ArchiveWrite {
  /** Absolute path below `/context/`. */
  readonly path: string;
  readonly content: string;
}

/** What a pass returns: the shorter messages, what has to be archived first, and the folds made. */
export interface Rewrite {
  readonly messages: readonly BaseMessage[];
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
  /** What became of the strings that must not be lost, for each summary and trim that was certified. */
  readonly certificates?: readonly Certificate[];
}

/** Returns the rewrite that changes nothing. */
export function unchanged(messages: readonly BaseMessage[]): Rewrite {
  return { messages, writes: [], folds: [] };
}

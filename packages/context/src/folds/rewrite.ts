import type { BaseMessage } from "@langchain/core/messages";

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

/** Kinds of strings that must not be lost, the most important first. */
export const mustKeepKinds = ["constraint", "error", "call", "path", "url", "number", "identifier"] as const;

export type MustKeepKind = (typeof mustKeepKinds)[number];

/** A string that must not be lost when its messages are folded. */
export interface MustKeepAtom {
  readonly kind: MustKeepKind;
  readonly text: string;
}

/** What became of the strings that must not be lost when messages are folded. */
export interface Certificate {
  /** Id of the fold. */
  readonly fold: string;
  /** Archive path at which a person can read it whole. */
  readonly path: string;
  /** Archive path of the folded messages. */
  readonly originals: string;
  /** How many strings were looked for. */
  readonly atoms: number;
  /** How many of them stand in what the model sees. */
  readonly kept: number;
  /** How many do not, and stand in `originals`, which the model is shown. */
  readonly retrievable: number;
  /** Those that are in neither. */
  readonly lost: readonly MustKeepAtom[];
  /** Lines that were put back word for word. */
  readonly excerpts: number;
  /** `atoms`, `kept` and `retrievable` of each kind. */
  readonly kinds: Readonly<Partial<Record<MustKeepKind, KindCount>>>;
}

export interface KindCount {
  readonly atoms: number;
  readonly kept: number;
  readonly retrievable: number;
}

/** What became of a string: in sight, in the file of the originals, or neither. */
export type Fate = "kept" | "retrievable" | "lost";

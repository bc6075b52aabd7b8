import type { BaseMessage } from "@langchain/core/messages";

import { foldOf, standIn, type Fold } from "./fold.js";
import type { SummaryTokens } from "./summary-tokens.js";

/** A file that must be in the archive before its rewrite is applied. */
export interface ArchiveWrite {
  /** Absolute path below `/context/`. */
  readonly path: string;
  readonly content: string;
}

/** The result of a pass: the shorter messages, the files to archive first, and the new folds. */
export interface Rewrite {
  readonly messages: readonly BaseMessage[];
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
  /** The certificate of each certified summary and trim. */
  readonly certificates?: readonly Certificate[];
}

/** Returns a rewrite without changes. */
export function unchanged(messages: readonly BaseMessage[]): Rewrite {
  return { messages, writes: [], folds: [] };
}

/** Joins two rewrites. The second was made from the messages of the first. Pure. */
export function joinRewrites(first: Rewrite, second: Rewrite): Rewrite {
  return {
    messages: second.messages,
    writes: [...first.writes, ...second.writes],
    folds: [...first.folds, ...second.folds],
    certificates: [...(first.certificates ?? []), ...(second.certificates ?? [])],
  };
}

/**
 * Returns the rewrite with the usage of model calls on its fold of several messages, or on its last block, which stays in the
 * context. Unchanged if it has no such fold. Pure.
 */
export function withUsage(rewrite: Rewrite, usage: SummaryTokens | undefined): Rewrite {
  if (usage === undefined) return rewrite;
  const paid =
    rewrite.folds.find(({ kind }) => kind === "summary" || kind === "trim" || kind === "native") ??
    rewrite.folds.findLast(({ kind }) => kind === "micro" || kind === "macro");
  if (paid === undefined) return rewrite;
  const priced = { ...paid, usage };
  return {
    ...rewrite,
    folds: rewrite.folds.map((fold) => (fold === paid ? priced : fold)),
    messages: rewrite.messages.map((message) =>
      foldOf(message) === paid ? standIn(message, priced, {}) : message,
    ),
  };
}

/** Kinds of strings that must not be lost, in descending importance. */
export const mustKeepKinds = ["constraint", "error", "call", "path", "url", "number", "identifier"] as const;

export type MustKeepKind = (typeof mustKeepKinds)[number];

/** A string that must not be lost when its messages are folded. */
export interface MustKeepAtom {
  readonly kind: MustKeepKind;
  readonly text: string;
}

/** Reports where each string that must not be lost is after a fold. */
export interface Certificate {
  /** Id of the fold. */
  readonly fold: string;
  /** Archive path of the full, readable certificate. */
  readonly path: string;
  /** Archive path of the folded messages. */
  readonly originals: string;
  /** Number of strings checked. */
  readonly atoms: number;
  /** Number of strings that are in the text that the model sees. */
  readonly kept: number;
  /** Number of strings that are only in `originals`; the model sees the path of that file. */
  readonly retrievable: number;
  /** Strings that are in neither. */
  readonly lost: readonly MustKeepAtom[];
  /** Number of lines that were added to the summary verbatim. */
  readonly excerpts: number;
  /** `atoms`, `kept` and `retrievable` for each kind. */
  readonly kinds: Readonly<Partial<Record<MustKeepKind, KindCount>>>;
}

export interface KindCount {
  readonly atoms: number;
  readonly kept: number;
  readonly retrievable: number;
}

/** Where a string is after a fold: in the text that the model sees, only in the file of the originals, or in neither. */
export type Fate = "kept" | "retrievable" | "lost";

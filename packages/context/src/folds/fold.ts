import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";

const key = "palimpsest";
const kinds = [
  "offload",
  "input",
  "stale",
  "mask",
  "reasoning",
  "summary",
  "trim",
  "micro",
  "macro",
  "chunk",
] as const;

export type FoldKind = (typeof kinds)[number];

/** What a selection by PACE went by. */
export interface PaceFacts {
  /** From 0 to 1. */
  readonly pressure: number;
  /** Relative weights above which a step is brief, detailed, full, as raised. */
  readonly thresholds: { readonly brief: number; readonly detailed: number; readonly full: number };
  /** What the thresholds at that pressure were multiplied by to fit the budget; 1 where they fitted. */
  readonly raised: number;
}

/**
 * What a stand-in knows of the messages it replaces. Kept in `additional_kwargs`, which no provider receives.
 *
 * Without `record` the file at `path` is the replaced message's content, character for character.
 * With `record` that file holds the replaced messages, one stored message a line. A record of `reasoning` folds is shared:
 * each fold stands for the message that it covers.
 */
export interface Fold {
  readonly id: string;
  readonly kind: FoldKind;
  /** Archive path that the model is shown. */
  readonly path: string;
  /** Archive path of the lossless originals, where `path` alone cannot restore them. */
  readonly record?: string;
  /** Ids of the messages that were replaced, oldest first. */
  readonly covers: readonly string[];
  /** Ids of recorded messages that still stand verbatim before the stand-in. */
  readonly carried?: readonly string[];
  /** Id of the newest message in the context when the fold was made: usage reported before it is out of date. */
  readonly newest?: string;
  /** How many summaries are nested below this one, itself included. */
  readonly generation?: number;
  /** What the folded messages are about, in a few words: the index of a later summary names the file with them. */
  readonly about?: string;
  /** Why the fold was made, such as `trigger`, `agent` or `overflow`. */
  readonly reason?: string;
  /** With PACE: what the levels of the steps in the context went by. */
  readonly pace?: PaceFacts;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The steps that a `micro` or `macro` fold stands for, and what the model reads of them. */
  readonly block?: FoldedBlock;
}

/**
 * Returns the fold that a message stands in for, or undefined for an ordinary message.
 *
 * Reads metadata alone: no text, whatever it says, makes a message a stand-in. What a host keeps under the same key is
 * no fold, and is not lost when the message is folded.
 */
export function foldOf(message: BaseMessage): Fold | undefined {
  const value = message.additional_kwargs?.[key];
  return value === undefined || !isFold(value) ? undefined : value;
}

function isFold(value: unknown): value is Fold {
  const { id, kind, path, record, covers, tokensBefore } = (value ?? {}) as Partial<Fold>;
  return (
    typeof id === "string" &&
    kinds.some((one) => one === kind) &&
    isArchivePath(path) &&
    (record === undefined || isArchivePath(record)) &&
    Array.isArray(covers) &&
    typeof tokensBefore === "number"
  );
}

function isArchivePath(path: unknown): boolean {
  return typeof path === "string" && path.startsWith("/context/");
}

/** True for a message that keeps something of its own where a stand-in keeps its fold. */
export function usesFoldKey({ additional_kwargs: kwargs }: BaseMessage): boolean {
  return kwargs !== undefined && key in kwargs;
}

/** Returns a copy of `message` that stands in for `fold`, with the given fields changed. */
export function standIn<Message extends BaseMessage>(
  message: Message,
  fold: Fold,
  changes: Readonly<Record<string, unknown>>,
): Message {
  const kwargs = (changes["additional_kwargs"] ?? message.additional_kwargs) as Record<string, unknown>;
  return copyMessage(message, { ...changes, additional_kwargs: { ...kwargs, [key]: fold } });
}

/** Returns the `additional_kwargs` of a message without its fold. */
export function withoutFold(message: BaseMessage): Record<string, unknown> {
  const { [key]: _, ...rest } = message.additional_kwargs as Record<string, unknown>;
  return rest;
}

/** Returns `additional_kwargs` for a new stand-in message. */
export function foldKwargs(fold: Fold): Record<string, unknown> {
  return { [key]: fold, lc_source: "summarization" };
}

/** What the stand-in of a `micro` or `macro` fold says of the steps that it replaces. Steps count from 1. */
export interface FoldedBlock {
  /** Unique in the thread, and higher than that of every block inside. */
  readonly id: number;
  readonly startStep: number;
  /** Last step, included. */
  readonly endStep: number;
  /** What the model reads, without the label. One line. */
  readonly text: string;
  /** Digest of the calls of a single step: two steps with the same one did the same. */
  readonly calls?: string;
  /** Digest of the results of a single step. */
  readonly results?: string;
  /** All results of a single step were errors. */
  readonly failed?: boolean;
}

/** True for a stand-in that is a message of its own, in place of those that it covers. */
export function coversOthers(message: BaseMessage): boolean {
  const fold = foldOf(message);
  if (fold === undefined) return false;
  const covers = fold.covers.length > 0 && !fold.covers.includes(message.id ?? "");
  return covers || fold.kind === "summary" || fold.kind === "trim";
}

/** Folds whose stand-in is a message of its own, in place of several. */
const speaking: ReadonlySet<FoldKind | undefined> = new Set(["summary", "trim", "micro", "macro"]);

/** True for the stand-in of a summary, a trim or a block: it speaks for several messages, and never for the user. */
export function isSummary(message: BaseMessage): boolean {
  return speaking.has(foldOf(message)?.kind);
}

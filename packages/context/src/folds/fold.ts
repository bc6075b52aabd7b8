import type { BaseMessage } from "@langchain/core/messages";
import { collectOnce, type Found } from "../collect-once.js";
import { copyMessage } from "../messages/copy-message.js";
import { soundMessage } from "../messages/sound/sound-message.js";
import { isArchivePath } from "./archive-paths.js";
import { foldKinds, traitsOf, type FoldKind } from "./kinds.js";
import type { SummaryTokens } from "./summary-tokens.js";

export type { FoldKind } from "./kinds.js";

const key = "palimpsest";
/** The inputs of a PACE selection. */
export interface PaceFacts {
  /** From 0 to 1. */
  readonly pressure: number;
  /** Relative weights above which a step is brief, detailed or full, after multiplication by `raised`. */
  readonly thresholds: { readonly brief: number; readonly detailed: number; readonly full: number };
  /** Factor that raised the thresholds to fit the budget; 1 when they fitted unchanged. */
  readonly raised: number;
}

/**
 * The record of a fold, in `additional_kwargs` of the stand-in, which no provider receives.
 *
 * Without `record`, the file at `path` holds the content of the replaced message, character for character.
 * With `record`, that file holds the replaced messages, one stored message on each line. `reasoning` folds share a
 * record: each fold restores only the message that it covers. The stand-in of a `native` fold is the message with the
 * provider's compaction, as it came; its record holds the covered messages and that message.
 */
export interface Fold {
  readonly id: string;
  readonly kind: FoldKind;
  /** Archive path that the model sees. */
  readonly path: string;
  /** Archive path of the lossless originals, when `path` alone cannot restore them. */
  readonly record?: string;
  /** Ids of the replaced messages, oldest first. */
  readonly covers: readonly string[];
  /** Positions in `covers` of the messages that stay verbatim before the stand-in; its record restores them too. */
  readonly carried?: readonly number[];
  /** Id of the newest message that is replaced inside another fold, where `covers` names none that is replaced directly. */
  readonly lastInside?: string;
  /** Ids of `carried` messages that the host has removed since: unfolding leaves them out. Not signed. */
  readonly removed?: readonly string[];
  /** Id of the newest message in the context when the fold was created: usage reported up to it is out of date. */
  readonly newest?: string;
  /** Depth of nested summaries, this one included. */
  readonly generation?: number;
  /** Topic of the folded messages in a few words; the index of a later summary lists it beside the file. */
  readonly about?: string;
  /** Why the fold was created, such as `trigger`, `agent` or `overflow`. */
  readonly reason?: string;
  /** Tokens of the model calls for this fold; for blocks, those of the whole step. Undefined if no model was called. */
  readonly usage?: SummaryTokens;
  /** With PACE: the inputs that determined the levels of the steps in the context. */
  readonly pace?: PaceFacts;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The steps that a `micro` or `macro` fold replaces, and the text that the model reads for them. */
  readonly block?: FoldedBlock;
  /** The stand-in of another kind of fold has lost its reasoning too; its record restores it. */
  readonly lostReasoning?: true;
  /** Originals that could not be archived yet, with their future archive paths. */
  readonly held?: readonly HeldOriginal[];
  /** With an output key of its own: what the thread says in the place of the stand-in, to notice edits. Not signed. */
  readonly span?: ThreadSpan;
  /**
   * Proof that a node of this thread created the stand-in: a signature of all other fields but those marked as not signed, and of
   * what the message says.
   */
  readonly seal?: string;
}

/** The messages of a thread that a stand-in stands for. */
export interface ThreadSpan {
  /** Ids of the first and of the last message. */
  readonly first: string;
  readonly last: string;
  /** Digest of all of them. */
  readonly digest: string;
}

/** An archive file that is kept in state until the archive can be written. */
export interface HeldOriginal {
  readonly path: string;
  readonly content: string;
}

/**
 * Returns the fold of a stand-in, or undefined for an ordinary message.
 *
 * Reads only metadata: no text can turn a message into a stand-in. A value of the host under the same key is not a fold,
 * and folding the message preserves it.
 */
export function foldOf(message: BaseMessage): Fold | undefined {
  const value = message.additional_kwargs?.[key];
  return value === undefined || !isFold(value) ? undefined : value;
}

/** Returns the folds of a list of messages, each with the index of its stand-in. */
export const foldsIn: (messages: readonly BaseMessage[]) => readonly Found<Fold>[] = collectOnce(foldOf);

function isFold(value: unknown): value is Fold {
  const { id, kind, path, record, covers, tokensBefore } = (value ?? {}) as Partial<Fold>;
  return (
    typeof id === "string" &&
    typeof kind === "string" &&
    Object.hasOwn(foldKinds, kind) &&
    isArchivePath(path) &&
    (record === undefined || isArchivePath(record)) &&
    Array.isArray(covers) &&
    typeof tokensBefore === "number"
  );
}

/** True for a stand-in without the reasoning of its message. */
export function hasLostReasoning(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold?.kind === "reasoning" || fold?.lostReasoning === true;
}

/**
 * Returns the text that the seal of a stand-in signs, as JSON with sorted keys: the fields of its fold that no host changes later,
 * and the id, the role and the content of the message, so that nobody can put the fold of a stand-in on other words. The result of a
 * tool gets its id only when it enters the state: its fold covers no id. Pure.
 */
export function sealedText(message: BaseMessage): string {
  const { id: own, content } = soundMessage(message);
  const { seal: _, span: __, removed: ___, ...fold }: Partial<Fold> = { ...foldOf(message) };
  const id = fold.covers?.length === 0 ? undefined : own;
  return JSON.stringify(withSortedKeys({ fold, id, role: message.getType(), content }));
}

/** Returns a copy of a JSON value with the keys of all its objects sorted: faster than a replacer of `JSON.stringify`. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const record = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(record).sort();
  // `fromEntries` also keeps a key `__proto__`, which an assignment would drop from what is signed.
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(record[key])]));
}

/** Returns a copy of a stand-in that is an ordinary message: its fold is kept under a key that nothing reads. */
export function refuseFold<Message extends BaseMessage>(message: Message): Message {
  const kwargs: Record<string, unknown> = message.additional_kwargs;
  return copyMessage(message, {
    additional_kwargs: { ...withoutFold(message), [`${key}_refused`]: kwargs[key] },
  });
}

/** True when a message already has a value under the key in which a stand-in stores its fold. */
export function usesFoldKey({ additional_kwargs: kwargs }: BaseMessage): boolean {
  return kwargs !== undefined && key in kwargs;
}

/** Returns a copy of `message` that carries `fold`, with `changes` applied. Other content needs a new seal. */
export function standIn<Message extends BaseMessage>(
  message: Message,
  fold: Fold,
  changes: Readonly<Record<string, unknown>>,
): Message {
  const kwargs = (changes["additional_kwargs"] ?? message.additional_kwargs) as Record<string, unknown>;
  const { seal: _, ...unsealed } = fold;
  const own = "content" in changes && fold.seal !== undefined ? unsealed : fold;
  return copyMessage(message, { ...changes, additional_kwargs: { ...kwargs, [key]: own } });
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

/** The steps that a `micro` or `macro` fold replaces and their text. Steps count from 1. */
export interface FoldedBlock {
  /** Unique in the thread, and higher than the id of every nested block. */
  readonly id: number;
  readonly startStep: number;
  /** Last step, inclusive. */
  readonly endStep: number;
  /** Text that the model reads, without the label. One line. */
  readonly text: string;
  /** Lines of the steps, quoted after the name of their tool; the model reads them after the text. */
  readonly findings?: readonly string[];
  /** Quoted lines that the model does not read here: the block that replaces this one chooses among them as well. */
  readonly spareFindings?: readonly string[];
  /** A line of each user message that the block replaces, oldest first; the model reads them after the text. */
  readonly userLines?: readonly string[];
  /** Lines with check-boxes of the steps, each item as it was written last: the plan, or ticks of one in an earlier block. */
  readonly plan?: readonly string[];
  /** Digest of the calls of a single step. Equal digests mean equal calls. */
  readonly calls?: string;
  /** Digest of the results of a single step. */
  readonly results?: string;
  /** True when all results of a single step were errors. */
  readonly failed?: boolean;
}

/** True for a stand-in that is a separate message in place of those that it covers. */
export function coversOthers(message: BaseMessage): boolean {
  const fold = foldOf(message);
  if (fold === undefined) return false;
  return replacesOthers(fold) || (fold.covers.length > 0 && !fold.covers.includes(message.id ?? ""));
}

/** True for the fold of a stand-in that is always a message of its own: a summary, a block or a selection. */
export function replacesOthers({ kind }: Fold): boolean {
  return traitsOf(kind).replaces === true;
}

/** True for a user message, whole or in its short form. No stand-in of several messages speaks for the user. */
export function isUserMessage(message: BaseMessage): boolean {
  return message.getType() === "human" && isOwn(message);
}

declare const own: unique symbol;

/** A message that stands for no others. Only such a message may stay beside a summary or a block that covers it. */
export type OwnMessage = BaseMessage & { readonly [own]: true };

/** True for a message that is no stand-in of others. */
export function isOwn(message: BaseMessage): message is OwnMessage {
  const fold = foldOf(message);
  return fold === undefined || !replacesOthers(fold);
}

/** Returns the ids of the messages that stay verbatim before the stand-in of a fold. */
export function carriedIds({ covers, carried = [] }: Pick<Fold, "covers" | "carried">): readonly string[] {
  return carried.flatMap((position) => covers[position] ?? []);
}

/** Returns the ids of a region that a stand-in replaces, and the positions among them of the messages that stay before it. */
export function coverage(
  region: readonly BaseMessage[],
  carried: readonly OwnMessage[],
): Pick<Fold, "covers" | "carried" | "lastInside"> {
  const covers = region.flatMap(({ id }) => id ?? []);
  const beside = new Set(carried.map(({ id }) => id));
  const replaced = region.filter(({ id }) => !beside.has(id));
  const inside = replaced.some(isOwn)
    ? undefined
    : replaced.map(lastReplaced).findLast((id) => id !== undefined);
  return {
    covers,
    carried: covers.flatMap((id, position) => (beside.has(id) ? [position] : [])),
    ...(inside === undefined ? {} : { lastInside: inside }),
  };
}

/** Returns the id of the newest message that a stand-in replaces, directly or inside. */
function lastReplaced(message: BaseMessage): string | undefined {
  const fold = foldOf(message);
  if (fold?.lastInside !== undefined) return fold.lastInside;
  const beside = new Set(fold?.carried);
  return fold?.covers.findLast((_, position) => !beside.has(position));
}

/** True for the stand-in of a summary, a trim or a block. It replaces several messages and is never the user's words. */
export function isSummary(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && isSummaryFold(fold);
}

/** True for the fold of a summary, a trim or a block. */
export function isSummaryFold({ kind }: Fold): boolean {
  return traitsOf(kind).summarizes === true;
}

/** True for the fold of a summary, a trim or a compaction of the provider: it covers everything before it. */
export function isWholeFold({ kind }: Fold): boolean {
  return traitsOf(kind).whole === true;
}

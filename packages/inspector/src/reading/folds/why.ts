import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls, type Fold } from "@palimpsest/context";
import { lastUpTo, type CallPositions } from "../../shared/call-positions.js";
import type { AskedAgain, CertificateView, ForgottenBy, WhyView } from "../../shared/why-view.js";
import { callSpans } from "./call-spans.js";
import type { StepRow } from "../../view.js";
import type { Span } from "../timeline/thread-history.js";
import { asksFor, coveredCalls, type ThreadFacts } from "./asked-again.js";

/** What is known of a branch. */
export interface Branch {
  /** Rows of `firstSeen`. */
  readonly rows: readonly StepRow[];
  readonly calls: CallPositions;
  /** The whole thread as it happened. */
  readonly facts: ThreadFacts;
  readonly sight: (messageId: string) => readonly Span[];
  /** The record of a fold that a row names. */
  readonly fold: (id: string) => Fold | undefined;
  /** The rows that folded a message, oldest first, by its id. */
  readonly foldedAt: ReadonlyMap<string, readonly FoldedAt[]>;
  readonly certificate: (fold: Fold) => Promise<CertificateView | null>;
}

/** A fold, and the position of the row that made it. */
export interface FoldedAt {
  readonly fold: Fold;
  readonly at: number;
}

/** Returns the rows that folded each message, by its id. Pure. */
export function foldsOfMessages({ rows, fold }: Pick<Branch, "rows" | "fold">): Branch["foldedAt"] {
  const found = new Map<string, FoldedAt[]>();
  for (const [at, { folds }] of rows.entries())
    for (const record of folds.flatMap(({ id }) => fold(id) ?? []))
      for (const [position, id] of record.covers.entries()) {
        // A message that stays beside the summary is in the record as well.
        if (record.carried?.includes(position) === true) continue;
        const known = found.get(id);
        if (known === undefined) found.set(id, [{ fold: record, at }]);
        else known.push({ fold: record, at });
      }
  return found;
}

/** Returns what became of a message: the calls that were sent it, the folds that took it away, and who asked for it again. */
export async function why(branch: Branch, place: number): Promise<WhyView | undefined> {
  const message = branch.facts.messages[place];
  if (message === undefined) return undefined;
  const { id = "" } = message;
  const { rows, calls } = branch;
  const seen = callSpans(branch.sight(id), rows, calls);
  const found = branch.foldedAt.get(id) ?? [];
  // A message may be folded, opened, and folded again.
  const again = new Map(
    found.flatMap((one) => askedAgain(branch, { ...one, message })).map((call) => [call.place, call]),
  );
  return {
    place,
    type: message.getType(),
    seen,
    isSeen: calls.all > 0 && seen.at(-1)?.[1] === calls.all,
    folds: await Promise.all(found.map(async (one) => forgottenBy(branch, one))),
    again: [...again.values()],
  };
}

async function forgottenBy(branch: Branch, { fold, at }: FoldedAt): Promise<ForgottenBy> {
  const { id, kind, reason = "", path } = fold;
  const { rows, calls } = branch;
  const next = calls.all === 0 ? undefined : calls.stops[lastUpTo(calls.stops, at - 1) + 1];
  return {
    fold: id,
    kind,
    reason,
    asked: reason === "agent" ? askedIn(branch, at) : "",
    call: next === undefined ? null : (calls.counts[next] ?? null),
    checkpoint: rows[at]?.id ?? "",
    path,
    certificate: await branch.certificate(fold),
  };
}

/** Returns what the agent said when it last asked for a compaction before a row. */
function askedIn({ rows, facts: { messages } }: Branch, at: number): string {
  const replies = new Set(rows.slice(0, at).flatMap(({ calls }) => calls.map(({ id }) => id)));
  for (const message of messages.toReversed()) {
    if (!replies.has(message.id ?? "")) continue;
    const call = toolCalls(message).findLast(({ name }) => name === "compress_context");
    const reason = call?.args["reason"];
    if (call !== undefined) return typeof reason === "string" ? reason : "";
  }
  return "";
}

interface Forgotten extends FoldedAt {
  readonly message: BaseMessage;
}

/** Returns the calls after a fold that asked for this message: for the originals, or by the same tool call. */
function askedAgain(
  { rows, facts, calls: { counts } }: Branch,
  { fold, at, message }: Forgotten,
): readonly AskedAgain[] {
  const numbers = new Map<string | null, number>();
  for (const [row, { calls }] of rows.entries())
    for (const [index, { id }] of calls.entries())
      if (row >= at) numbers.set(id, (counts[row] ?? 0) - calls.length + 1 + index);
  const covered = coveredCalls({ covers: [message.id ?? ""] }, facts);
  return facts.toolCalls.flatMap((call) => {
    const number = numbers.get(call.reply ?? "");
    const how = asksFor(call, fold, covered);
    return number === undefined || how === undefined
      ? []
      : [{ call: number, tool: call.tool, how, place: call.place }];
  });
}

import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold } from "./fold.js";
import { messagesOfRecord, type ReadArchive } from "./unfold.js";

/** Records that are read at most to learn what a summary covers. */
const mostRecords = 200;

/**
 * Returns the context that is meant by a list in which a summary stands beside messages that it covers; the same list
 * where there is none such.
 *
 * A graph that runs an agent as one of its nodes merges by id what the agent returns: the messages that were folded
 * inside stay in its list, and the stand-in comes behind them. Here they are taken out, and the stand-in goes to their
 * place. Does no I/O but through `read`, and none for a list that is in order.
 * @throws ContextError `corrupt` when an archive file is not what the fold says it is.
 */
export async function reconcile(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const at = messages.findLastIndex(isSummaryStandIn);
  const standIn = messages[at];
  const fold = standIn && foldOf(standIn);
  if (standIn === undefined || fold === undefined) return messages;
  const carried = new Set(fold.carried);
  const before = messages.slice(0, at);
  // System messages are never folded away, and where they lead they are not carried either.
  const kept = (message: BaseMessage) => message.getType() === "system" || carried.has(message.id ?? "");
  if (before.every(kept)) return messages;
  const covered = await coveredBy(fold, read);
  const gone = (message: BaseMessage) => covered.has(message.id ?? "") && !kept(message);
  if (!before.some(gone)) return messages;
  const last = before.findLastIndex((message) => covered.has(message.id ?? ""));
  const rest = [...before.slice(last + 1), ...messages.slice(at + 1)];
  return [...before.slice(0, last + 1), standIn, ...rest].filter((message) => !gone(message));
}

function isSummaryStandIn(message: BaseMessage): boolean {
  const kind = foldOf(message)?.kind;
  return kind === "summary" || kind === "trim";
}

/** Returns the ids of all that a fold covers, those inside the summaries that it covers included. */
async function coveredBy(outer: Fold, read: ReadArchive): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  const folds = [outer];
  for (let next = 0; next < Math.min(folds.length, mostRecords); next++) {
    const fold = folds[next];
    for (const id of fold?.covers ?? []) covered.add(id);
    if (fold?.record === undefined || (fold.generation ?? 1) < 2) continue;
    const originals = messagesOfRecord(await read(fold.record), fold.record);
    folds.push(...originals.filter(isSummaryStandIn).flatMap((message) => foldOf(message) ?? []));
  }
  return covered;
}

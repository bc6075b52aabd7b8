import type { BaseMessage } from "@langchain/core/messages";
import { withoutRepeated } from "@palimpsest/context/internal";
import { foldOf, unfold, unfoldNamed, withIds, type Fold, type ReadArchive } from "@palimpsest/context";
import type { ThreadSeal } from "@palimpsest/vfs/internal";
import { measureOf, sizeWith } from "../run/measure.js";
import type { ContextOptions } from "../options/context-options.js";
import { messagesUpdate } from "../run/node-state.js";
import { reporter } from "../run/reporter.js";
import { markedPrefix, sentPrefix } from "../epochs/sent-prefix.js";
import { resolveOptions, triggerSize } from "../options/resolve-options.js";
import { sealFolds, withoutSeal } from "../run/sealed-folds.js";
import { threadState, writeThread, type ThreadConfig, type ThreadGraph } from "./thread-graph.js";
import { requireOptions } from "../options/require-options.js";

export interface UnfoldThreadOptions extends ContextOptions {
  /** Id, path or record of one fold. If it is inside other folds, these are opened by one level. @default all folds */
  readonly fold?: string | undefined;
  /** How many levels of folds to open. @default Infinity: down to the originals */
  readonly levels?: number | undefined;
  /** Opens them even if the context then exceeds the trigger. @default false */
  readonly force?: boolean | undefined;
  /** Node that the state update is attributed to. @default the one that ran last */
  readonly asNode?: string | undefined;
}

export interface UnfoldedThread {
  readonly applied: boolean;
  /** The folds of the context that were opened, or would have been. */
  readonly folds: readonly Fold[];
  /** Tokens of the whole prompt. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Why nothing was opened. */
  readonly reason?: "nothing-to-unfold" | "budget";
  readonly message?: string;
}

/**
 * Replaces folds of a thread by their originals between two runs: all folds, one, or a number of levels. Writes a new
 * checkpoint; earlier ones stay.
 *
 * Opens nothing that would put the context over its trigger, because the next step would fold it again; the result then says
 * how large the context would be. `force` opens it anyway.
 * @throws ContextError if an option cannot work or a record is damaged, or the archive's error.
 */
export async function unfoldThread(
  graph: ThreadGraph,
  config: ThreadConfig,
  given: UnfoldThreadOptions,
): Promise<UnfoldedThread> {
  requireOptions(given, "unfoldThread");
  const { fold, levels = Infinity, force = false, asNode, ...options } = given;
  const resolved = resolveOptions(options);
  const { messages, compaction, threadId, values } = await threadState(graph, config, resolved);
  const measure = measureOf(messages, resolved, compaction);
  const size = sizeWith(measure, resolved);
  const before = size(messages);
  const archive = threadId === undefined ? undefined : resolved.files.archive(threadId);
  const read = archive && ((path: string) => archive.readText(path));
  const result = read && levels > 0 ? await openedBy({ messages, read, fold, levels }) : undefined;
  if (result === undefined || threadId === undefined || result.folds.length === 0) {
    const message = fold === undefined ? "The context has no fold" : `The context has no fold ${fold}`;
    return { applied: false, folds: [], ...same(before), reason: "nothing-to-unfold", message };
  }
  const { folds } = result;
  const opened = withIds(await sealedAgain(result.messages, messages, resolved.files.seal(threadId)));
  const sizes = { tokensBefore: before, tokensAfter: size(opened) };
  const maxTokens = triggerSize(resolved, 1);
  if (sizes.tokensAfter >= maxTokens && !force) {
    const message = `Unfolding adds ${sizes.tokensAfter - before} tokens to ${before}: the trigger is at ${maxTokens}. Open one fold or one level, or pass force`;
    return { applied: false, folds, ...sizes, reason: "budget", message };
  }
  const newest = opened.at(-1)?.id;
  const state = {
    overheadTokens: measure.overheadTokens,
    tokenRatio: measure.tokenRatio,
    refusedAt: 0,
    refusedFor: "" as const,
    // The next step removes reasoning that is valid only after the earlier prefix.
    prefix: markedPrefix(messages, sentPrefix(messages, compaction?.prefix)),
    ...(newest === undefined ? {} : { unfoldedAt: newest }),
  };
  const update = messagesUpdate({ messages: opened, state }, resolved, values);
  await writeThread(graph, config, { update, asNode });
  reporter(resolved, undefined, { threadId }).send({ type: "context.unfold", folds, ...sizes, threadId });
  return { applied: true, folds, ...sizes };
}

interface Opening {
  readonly messages: Parameters<typeof unfold>[0];
  readonly read: ReadArchive;
  readonly fold: string | undefined;
  readonly levels: number;
}

async function openedBy({ messages, read, fold, levels }: Opening) {
  if (fold !== undefined) return unfoldNamed(messages, fold, { read, levels });
  const folds = messages.flatMap((message) => foldOf(message) ?? []);
  if (folds.length === 0) return { folds, messages };
  return { folds, messages: await withoutRepeated(await unfold(messages, read, { levels }), read) };
}

/**
 * Returns opened messages with seals on those that are not among the messages before. Everything in the archive is genuine; a
 * fold in a record may have no seal yet, or that of a key that was lost since.
 */
async function sealedAgain(
  opened: readonly BaseMessage[],
  before: readonly BaseMessage[],
  seal: ThreadSeal,
): Promise<readonly BaseMessage[]> {
  const known = new Set(before);
  const messages = opened.map((message) => (known.has(message) ? message : withoutSeal(message)));
  return (await sealFolds({ messages, folds: [] }, seal)).messages;
}

function same(tokens: number) {
  return { tokensBefore: tokens, tokensAfter: tokens };
}

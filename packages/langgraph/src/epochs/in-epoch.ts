import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { changedFrom, dropReasoning, nativeStart, staleStart, unchanged } from "@palimpsest/context/internal";
import type { CompactInput, CompactOutcome } from "../compaction/compaction-step.js";
import { commitRewrite, mustThrow } from "../run/commit.js";
import type { SentPrefix } from "../run/context-state.js";
import { reporter } from "../run/reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { threadIdOf } from "../run-config.js";
import { admitFolds } from "../run/sealed-folds.js";
import { isTracked, markedPrefix, rewrittenPrefix, withMarks } from "./sent-prefix.js";

export type EpochOptions = Pick<ResolvedOptions, "files" | "tokenCounter" | "onError" | "onEvent">;

type Work = (input: CompactInput) => Promise<CompactOutcome>;

/**
 * Runs the work of a node on a context whose reasoning is valid, and records the prefix that is sent next.
 *
 * If the host has changed messages that were sent before, the reasoning after them goes to the archive first. Marks in the
 * channel `compaction` record what was sent; without that channel, changes by the host go unnoticed.
 */
export async function inEpoch(
  input: CompactInput,
  options: EpochOptions,
  work: Work,
): Promise<CompactOutcome> {
  const { state } = input;
  if (state === undefined) return work(input);
  const valid = await validContext(input, options);
  if (valid === undefined) return work(input);
  const outcome = await work({ ...input, messages: valid.messages });
  const known = rewrittenPrefix(valid.prefix, valid.messages, outcome.messages);
  const prefix = isTracked(outcome.messages, known) ? markedPrefix(outcome.messages, known) : known;
  return prefix === state.prefix ? outcome : { ...outcome, state: { ...outcome.state, prefix } };
}

interface ValidContext {
  /** The same array as the input if no reasoning is stale. */
  readonly messages: readonly BaseMessage[];
  /** The marks that are still valid. */
  readonly prefix: SentPrefix | undefined;
}

/** Returns the context without the reasoning that the host made stale, or undefined if it could not be archived. */
async function validContext(
  { messages, state, config }: CompactInput,
  options: EpochOptions,
): Promise<ValidContext | undefined> {
  const known = state?.prefix;
  if (known === undefined) return { messages, prefix: undefined };
  const threadId = threadIdOf(config, state?.scope);
  const from = changedFrom(messages, known.marks);
  if (from === undefined || threadId === undefined) return { messages, prefix: known };
  const report = reporter(options, config, threadId);
  const run = {
    report,
    archive: options.files.archive(threadId),
    seal: options.files.seal(threadId),
    signal: config?.signal,
    onError: options.onError,
  };
  try {
    const named = withIds(await admitFolds(messages, run.seal));
    const { tokenCounter } = options;
    const prefix = withMarks(known, from);
    // A provider's compaction stays as it is: it is the prefix of everything after it.
    const stale = staleStart(named, Math.max(from, nativeStart(named) + 1));
    if (stale < 0) return { messages, prefix };
    const rewrite = dropReasoning(unchanged(named), {
      isStale: (_, index) => index >= stale,
      newest: named.at(-1)?.id,
      tokenCounter,
    });
    const committed = await commitRewrite(rewrite, { ...run, reason: "edit" });
    return committed === undefined ? undefined : { messages: committed.messages, prefix };
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    report.fail("compaction", error);
    return undefined;
  }
}

import { cutPoints, type ArchiveWrite, type Lane, type SummaryPlan } from "@palimpsest/context";
import { foldRules, once, preparedPath, summaryRecord } from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import { z } from "zod";
import type { PreparedSummary, WrittenSummary } from "../../summary/write-summary.js";
import type { CompactionFacts } from "../compaction-facts.js";
import { cutoffOf, lastCut } from "../cutoff.js";
import { planPromoted } from "../pins.js";

/** Cut points before the planned one whose summary may have been written: each failed call of the model adds a question. */
const maxCuts = 8;

const schema = once(() =>
  z.object({
    text: z.string(),
    source: z.literal("model"),
    refused: z.array(z.string()),
    usage: z
      .object({
        calls: z.number(),
        reportedCalls: z.number(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        cachedTokens: z.number(),
        model: z.string().exactOptional(),
      })
      .optional(),
  }),
);

/** Where summaries are kept: the archive, and in it the agent's lane. */
export interface KeptPlace {
  readonly archive: Archive;
  readonly lane?: Lane | undefined;
}

/** Returns the summary in the archive of the span with this digest; undefined if it is missing or damaged. */
export async function readKept(
  digest: string,
  { archive, lane }: KeptPlace,
): Promise<WrittenSummary | undefined> {
  try {
    return schema().parse(JSON.parse(await archive.readText(preparedPath(digest, lane))));
  } catch {
    return undefined;
  }
}

/** Returns the write that keeps the summary of a model under the digest of its span; nothing where that is done. */
export async function keptWrites(
  digest: string,
  written: WrittenSummary | undefined,
  { archive, lane }: KeptPlace,
): Promise<readonly ArchiveWrite[]> {
  if (written?.source !== "model") return [];
  const path = preparedPath(digest, lane);
  // Another process may have written it already.
  const isKnown = await archive.has(path).catch(() => false);
  return isKnown ? [] : [{ path, content: JSON.stringify(written) }];
}

/**
 * Returns the summary that a model has written for the beginning of this context in a step that was lost, as the state is
 * written with the reply of a call, and the call has failed. Reads a file for each of the last legal cut points, until one is
 * found.
 */
export async function takeKept(
  { messages, options, measure }: CompactionFacts,
  archive: Archive,
): Promise<PreparedSummary | undefined> {
  const planned = cutoffOf(messages, options, measure.tokenRatio);
  const latest = planPromoted(messages, options, planned) === undefined ? lastCut(messages) : planned;
  const cuts = cutPoints(messages, foldRules).filter((cut) => cut <= latest);
  for (const cut of cuts.slice(-maxCuts).toReversed()) {
    const plan = planPromoted(messages, options, cut)?.plan;
    const written = plan && (await readKept(digestOf(plan), { archive, lane: options.lane }));
    if (written !== undefined) return { cut, written };
  }
  return undefined;
}

/** Returns the digest of the messages that a summary stands for. */
export function digestOf(plan: SummaryPlan): string {
  return summaryRecord(plan).name;
}

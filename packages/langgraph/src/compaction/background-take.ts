import type { BaseMessage } from "@langchain/core/messages";
import { planSummary, summaryRecord } from "@palimpsest/context";
import { z } from "zod";
import type { ResolvedOptions } from "../resolve-options.js";
import type { CompactionState } from "../state/compaction-state.js";
import { jobEnd } from "./background-jobs.js";
import type { PreparedSummary } from "./background-prepared.js";
import { pathOf } from "./background-summary.js";
import type { Reporter } from "./reporter.js";
import { withPins } from "./with-pins.js";

const schema = z.object({
  text: z.string(),
  source: z.literal("model"),
  refused: z.array(z.string()),
});

export interface TakeOptions {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly state: CompactionState | undefined;
}

/**
 * Returns the summary that was written ahead for the beginning of this context, or undefined where there is none, it has
 * failed, or a message of its span is another now. Waits for one that is still being written.
 */
export async function takePrepared(
  messages: readonly BaseMessage[],
  { options, report, state }: TakeOptions,
): Promise<PreparedSummary | undefined> {
  const span = options.prepareAt === undefined ? undefined : state?.prepared;
  if (span === undefined) return undefined;
  const { files } = options;
  const { threadId } = report;
  const cut = messages.findIndex(({ id }) => id === span.upTo) + 1;
  const plan = cut === 0 ? undefined : planSummary(messages, { ...withPins(messages, options), cut });
  const isSame = plan !== undefined && summaryRecord(plan).name === span.digest;
  if (!isSame) {
    report.send({ type: "context.prepare", step: "discarded", messages: plan?.region.length ?? 0, threadId });
    return undefined;
  }
  const written = (await jobEnd({ files, threadId, digest: span.digest })) ?? (await read());
  return written === undefined ? undefined : { cut, written };

  async function read(): Promise<PreparedSummary["written"] | undefined> {
    try {
      const text = await files.thread(threadId).archive.readText(pathOf(span?.digest ?? ""));
      return schema.parse(JSON.parse(text));
    } catch {
      // Not there, or damaged: it is written now, as it would have been without.
      return undefined;
    }
  }
}

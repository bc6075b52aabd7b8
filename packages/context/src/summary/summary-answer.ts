import { z } from "zod";
import type { SummaryPatch } from "./patch-summary.js";

const lines = (meaning: string) => z.array(z.string()).default([]).describe(meaning);

/**
 * What a summary model is asked for: what is new, and which numbered entries of the record no longer hold.
 *
 * The user's constraints, the files and the index are not asked for: they are taken from the messages themselves.
 */
export const summaryAnswerSchema = z.object({
  intent: lines("What the user wants in the end, and what is being worked on now"),
  findings: z
    .array(
      z.object({
        fact: z.string(),
        source: z.string().default("").describe("The file, tool or page that it comes from"),
      }),
    )
    .default([])
    .describe("What was learned"),
  decisions: z
    .array(z.object({ decision: z.string(), reason: z.string().default("") }))
    .default([])
    .describe("What was decided, each with its reason"),
  openQuestions: lines("What is not known yet, and errors that are not solved"),
  done: lines("Work that is finished"),
  inProgress: lines("Work that is under way"),
  nextSteps: lines("What comes next"),
  sideEffects: lines("What was changed outside the conversation: sent, booked, pushed, deleted"),
  resolved: lines("Ids of entries of the record that are settled, such as q2"),
  obsolete: lines("Ids of entries of the record that no longer hold, such as f3"),
});

export type SummaryAnswer = z.infer<typeof summaryAnswerSchema>;

/** Returns an answer in the form that a summary is patched with: one line of text an entry. Pure. */
export function patchOfAnswer({ findings, decisions, ...rest }: SummaryAnswer): SummaryPatch {
  return {
    ...rest,
    findings: findings.map(({ fact, source }) => (source === "" ? fact : `${fact} (${source})`)),
    decisions: decisions.map(({ decision, reason }) =>
      reason === "" ? decision : `${decision} (because: ${reason})`,
    ),
  };
}

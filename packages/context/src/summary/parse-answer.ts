import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { once } from "../once.js";
import { emptyPatch, factSections, stateSections, type SummaryPatch } from "./patch-summary.js";
import { parseSummary } from "./summary.js";

const lines = (meaning: string) => z.array(z.string()).default([]).describe(meaning);

/**
 * Schema of a summary model's answer: new entries, and the ids of numbered entries that no longer hold.
 *
 * The schema omits the user's lines, the files and the index, which are extracted from the messages.
 */
export const summaryAnswerSchema = once(() =>
  z.object({
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
    resolved: lines("Ids of entries of the record that are settled, such as q2 or u1"),
    obsolete: lines("Ids of entries of the record that no longer hold, such as f3"),
  }),
);

export type SummaryAnswer = z.infer<ReturnType<typeof summaryAnswerSchema>>;

/** Returns an answer as a summary patch: one line of text for each entry. Pure. */
function patchOfAnswer({ findings, decisions, ...rest }: SummaryAnswer): SummaryPatch {
  return {
    ...rest,
    findings: findings.map(({ fact, source }) => (source === "" ? fact : `${fact} (${source})`)),
    decisions: decisions.map(({ decision, reason }) =>
      reason === "" ? decision : `${decision} (because: ${reason})`,
    ),
  };
}

/**
 * Returns a summary model's answer as a patch, or undefined when it contains no summary.
 *
 * Pure, never throws. Reads JSON (in a code fence, with prose around it, with trailing commas, cut off at the end) and
 * Markdown with the headings of a summary. Converts entries of an unexpected shape to text.
 */
export function parseAnswer(text: string): SummaryPatch | undefined {
  return fromJson(text) ?? fromMarkdown(text);
}

function fromJson(text: string): SummaryPatch | undefined {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  // Text after the last brace is either prose or the rest of a truncated answer: use the reading with more entries.
  const candidates = [text.slice(start, text.lastIndexOf("}") + 1), text.slice(start)];
  const patches = candidates.map((one) => answerOf(repaired(one))).filter((one) => one !== undefined);
  return patches.toSorted((a, b) => entries(b) - entries(a))[0];
}

function entries(patch: SummaryPatch): number {
  return Object.values(patch).reduce((sum, list) => sum + list.length, 0);
}

function repaired(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text)) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a parsed value as a patch, or undefined when it has none of the fields. */
export function answerOf(value: unknown): SummaryPatch | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const schema = summaryAnswerSchema();
  const keys = Object.keys(schema.shape);
  if (!keys.some((key) => key in value)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const tidy = Object.fromEntries(keys.map((key) => [key, entriesOf(key, fields[key])]));
  const { success, data } = schema.safeParse(tidy);
  return success ? patchOfAnswer(data) : undefined;
}

/** Accepts a string in place of a list, and strings in place of objects. */
function entriesOf(key: string, value: unknown): readonly unknown[] {
  const list = (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== null);
  if (key === "findings") return list.map((one) => shaped(one, "fact", "source"));
  if (key === "decisions") return list.map((one) => shaped(one, "decision", "reason"));
  return list.map(plainText).filter((one) => one.trim() !== "");
}

function shaped(value: unknown, main: string, beside: string): unknown {
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  if (fields === undefined || !(main in fields)) return { [main]: plainText(value) };
  return { [main]: plainText(fields[main]), [beside]: plainText(fields[beside] ?? "") };
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  const texts = Object.values(value).filter((one) => typeof one === "string");
  return texts.length > 0 ? texts.join(": ") : JSON.stringify(value);
}

function fromMarkdown(text: string): SummaryPatch | undefined {
  const sections = parseSummary(text);
  if (sections === undefined) return undefined;
  const known = [...factSections, ...stateSections].map((section) => [section, sections[section]]);
  return { ...emptyPatch, ...Object.fromEntries(known), ...settled(text) };
}

/** Ids below the headings Resolved and Obsolete, which `parseSummary` does not read. */
function settled(text: string): Pick<SummaryPatch, "resolved" | "obsolete"> {
  const below = (title: string) => {
    const found = new RegExp(
      `^#{1,6}\\s+${title}\\s*:?\\s*$([\\s\\S]*?)(?=^#{1,6}\\s|$(?![\\s\\S]))`,
      "im",
    ).exec(text);
    return found?.[1]?.match(/\b[ifdqopnsu]\d+\b/gi) ?? [];
  };
  return { resolved: below("resolved"), obsolete: below("obsolete") };
}

import { emptyPatch, parseAnswer, summaryHeadings, type SummaryPatch } from "@palimpsest/context/internal";

interface ReadAnswerOptions {
  /** Everything that the model was shown. */
  readonly asked: string;
  /** Characters that an answer may have. */
  readonly maxCharacters: number;
}

/**
 * Refuses an answer that is not a summary, before the next prompt or the context contains it.
 *
 * @throws Error if it is empty, too long, no shorter than what it replaces, or a copy of what the model was shown.
 */
export function checkAnswer(answer: string, { asked, maxCharacters }: ReadAnswerOptions): void {
  if (answer === "") throw new Error("The summary model returned an empty answer");
  if (answer.length > maxCharacters) {
    throw new Error(`The summary has ${answer.length} characters; at most ${maxCharacters} are useful`);
  }
  if (answer.length >= asked.length) {
    throw new Error(`The summary has ${answer.length} characters, no fewer than what it replaces`);
  }
  if (isEcho(answer, asked)) throw new Error("The summary model returned what it was shown");
}

const titles = new Set(Object.values(summaryHeadings).map((title) => `## ${title}`));

/** Returns true if most lines are copied from the prompt, apart from the requested headings. */
function isEcho(answer: string, asked: string): boolean {
  const lines = answer.split("\n").map((line) => line.trim());
  const own = lines.filter((line) => line.length > 8 && !titles.has(line));
  const shown = new Set(asked.split("\n").map((line) => line.trim()));
  return own.length > 0 && own.filter((line) => shown.has(line)).length > own.length / 2;
}

/** Returns the patch in an answer. A plain list counts as findings. Undefined for prose. Pure. */
export function readAnswer(answer: string): SummaryPatch | undefined {
  const patch = parseAnswer(answer);
  if (patch !== undefined) return withoutIds(patch);
  const lines = answer.split("\n").filter((line) => line.trim() !== "");
  return lines.every((line) => bullet.test(line)) ? proseFindings(answer) : undefined;
}

const bullet = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** Returns the lines of a text as findings: the last resort for prose. Pure. */
export function proseFindings(text: string): SummaryPatch {
  const lines = text.split("\n").map((line) => line.replace(bullet, "").trim());
  return withoutIds({
    ...emptyPatch,
    findings: lines.filter((line) => line !== "" && !line.startsWith("```")),
  });
}

/** Removes ids that the model copied from the record. */
function withoutIds(patch: SummaryPatch): SummaryPatch {
  const entries = Object.entries(patch).map(([section, lines]) => [
    section,
    lines.map((line) => line.replace(/^\[[ifdqopnsu]\d+\]\s*/i, "")),
  ]);
  return { ...patch, ...Object.fromEntries(entries) };
}

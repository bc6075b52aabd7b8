import type { Corpus, FileName } from "./corpus.js";

/** Arguments of the agent's `grep`. */
export interface GrepArgs {
  readonly path: string;
  /** `field: (one|other)`, or `owner: (pers-0001|pers-0002)`. */
  readonly pattern: string;
  /** Whole records below how many there are, or the numbers alone, as with `grep -c`. */
  readonly output: "records" | "counts";
}

/** A line of an answer that says how many records a file has with a value. Groups: file, field, value, number. */
export const answerHeader = /^(\w+)\.txt \| (\w+): (.+) \| (\d+)$/gm;

export interface Wanted {
  readonly file: FileName;
  readonly field: string;
  readonly values: readonly string[];
  readonly countsOnly: boolean;
}

/** Returns the call that asks for records. Pure. */
export function grepFor({ file, field, values, countsOnly }: Wanted): GrepArgs {
  const pattern = `${field}: (${values.join("|")})`;
  return { path: `${file}.txt`, pattern, output: countsOnly ? "counts" : "records" };
}

/** Returns what `grep` answers: for each value how many records have it, and then those records as they stand in the file. */
export function grepAnswer(corpus: Corpus, { file, field, values, countsOnly }: Wanted): string {
  const found = values.map((value) => corpus.find(file, field, value));
  const headers = values.map((value, at) => `${file}.txt | ${field}: ${value} | ${found[at]?.length ?? 0}`);
  const records = countsOnly ? [] : found.flat().map(({ text }) => `\n${text}`);
  return [`${values.length} patterns`, ...headers, ...records].join("\n");
}

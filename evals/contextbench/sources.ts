import type { BaseMessage } from "@langchain/core/messages";
import { textOf } from "../data/text-of.js";
import type { Corpus, FileName, FileRecord } from "./corpus.js";
import type { Source } from "./evaluate-plan.js";
import { answerHeader, type Wanted } from "./grep.js";

/** What the next step of a plan needs and a prompt does not show. */
export class Missing extends Error {
  constructor(readonly wanted: Wanted) {
    super(`${wanted.file} with ${wanted.field} ${wanted.values.join(", ")} is not in the prompt`);
  }
}

/** Returns the whole files as a source. */
export function wholeFiles(corpus: Corpus): Source {
  return {
    find: (file, field, values) => values.flatMap((value) => corpus.find(file, field, value)),
    count: (file, owners) => owners.map((owner) => corpus.find(file, "owner", owner).length),
  };
}

/**
 * Returns what stands in a prompt, word for word: the answers that say how many records there are, and the records that are
 * there whole. The corpus only tells whole records from clipped ones.
 */
export function promptSource(prompt: readonly BaseMessage[], corpus: Corpus): Source {
  const seen = prompt.map((message) => seenIn(message, corpus));
  const counts = new Map(seen.flatMap((one) => one.counts));
  const whole = new Set(seen.flatMap((one) => one.records));
  const countOf = (file: FileName, field: string, value: string) => counts.get(`${file}|${field}|${value}`);
  const foundOf = (file: FileName, field: string, value: string) => {
    const records = corpus.find(file, field, value).filter((record) => whole.has(record));
    return records.length === countOf(file, field, value) ? records : undefined;
  };
  return {
    find(file, field, values) {
      const found = values.map((value) => foundOf(file, field, value));
      const missing = values.filter((_, at) => found[at] === undefined);
      if (missing.length > 0) throw new Missing({ file, field, values: missing, countsOnly: false });
      return found.flatMap((records) => records ?? []);
    },
    count(file, owners) {
      const missing = owners.filter((owner) => countOf(file, "owner", owner) === undefined);
      if (missing.length > 0) throw new Missing({ file, field: "owner", values: missing, countsOnly: true });
      return owners.map((owner) => countOf(file, "owner", owner) ?? 0);
    },
  };
}

interface Seen {
  readonly counts: readonly (readonly [string, number])[];
  readonly records: readonly FileRecord[];
}

const known = new WeakMap<BaseMessage, Seen>();

/** Lines that are taken over are listed or quoted, some with their source: what marks a line does not count. */
const marks = /^ *- (?:[^“”\n]*“)?|^“|”$/gm;
/** Stands between two quoted lines of an entry. */
const between = "” “";

function seenIn(message: BaseMessage, corpus: Corpus): Seen {
  const before = known.get(message);
  if (before !== undefined) return before;
  const text = textOf(message).replaceAll(between, "\n").replaceAll(marks, "");
  const counts = [...text.matchAll(answerHeader)].map(
    ([, file = "", field = "", value = "", count]) => [`${file}|${field}|${value}`, Number(count)] as const,
  );
  const records = [...text.matchAll(/^### .*$/gm)].flatMap(({ 0: line, index }) => {
    const record = corpus.headed(line);
    return record !== undefined && text.startsWith(record.text, index) ? [record] : [];
  });
  const seen = { counts, records };
  known.set(message, seen);
  return seen;
}

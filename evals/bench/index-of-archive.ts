import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { historyMarkdown } from "@palimpsest/context/internal";
import { RecallIndex, type Passage } from "@palimpsest/recall";
import { splitPassages } from "@palimpsest/recall/internal";
import { madeThread, needleOf } from "../horizon/generated-steps.js";
import type { Suite } from "../suite.js";
import { medianCpuMs, medianMs } from "./measures/median-ms.js";
import { tableOf } from "../report/table-of.js";
import { readOptions, text } from "../run/read-options.js";

/** Passages that come in with one step, in one transaction. */
const batch = 10;
const frequent = "reading a page of the region with open items, records and crates since week 30";

/** Where an index is stored, and which clock measures it: a server's CPU time is not ours. */
interface Place {
  readonly name: string;
  readonly open: () => RecallIndex | Promise<RecallIndex>;
  readonly time: typeof medianMs;
  readonly remove: () => void;
}

interface Measured {
  readonly place: string;
  readonly passages: number;
  readonly addMs: number;
  readonly searchMs: number;
  /** A question of words that many passages hold. */
  readonly frequentMs: number;
  readonly restartMs: number;
  readonly found: boolean;
}

/**
 * What the index of the archive costs as it grows: a step, a search, and the first search after a restart. `[--sizes A,B]`;
 * in the database at PALIMPSEST_POSTGRES_URL as well, where that is given.
 */
export const indexOfArchive: Suite = async ({ quick = false, args, progress }) => {
  const { sizes } = readOptions(args, { sizes: text(quick ? "1000" : "1000,10000,100000") });
  const measured: Measured[] = [];
  for (const size of sizes.split(",").map(Number)) {
    if (!(size >= 1)) throw new Error(`--sizes is ${sizes}: use numbers, 1 or more, with commas`);
    for (const place of [inFile(), ...inDatabase()]) {
      progress(`${size} passages in ${place.name}`);
      measured.push(await measure(size, place));
    }
  }
  return {
    suite: "index",
    question: "What does the index of the archive cost as it grows?",
    cases: measured.length,
    passed: measured.length > 0 && measured.every(({ found }) => found),
    tables: [
      tableOf(measured, {
        title: "Index of the archive",
        columns: [
          ["in", ({ place }) => place],
          ["passages", ({ passages }) => passages],
          [`ms to add a step of ${batch}`, ({ addMs }) => addMs],
          ["ms a search for what stands once", ({ searchMs }) => searchMs],
          ["ms a search for frequent words", ({ frequentMs }) => frequentMs],
          ["ms from opening to the first hit", ({ restartMs }) => restartMs],
          ["found", ({ found }) => (found ? "yes" : "no")],
        ],
        note: "Medians; CPU time for a file, wall-clock time for Postgres, which runs in its own processes. A passage is 12 lines of an archived history. The query for a rare name has four more words.",
      }),
    ],
    numbers: { measured },
  };
};

function inFile(): Place {
  const root = mkdtempSync(join(tmpdir(), "recall-"));
  return {
    name: "a file",
    open: () => RecallIndex.fromPath(join(root, "index.db")),
    time: medianCpuMs,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function inDatabase(): readonly Place[] {
  const url = process.env["PALIMPSEST_POSTGRES_URL"];
  if (url === undefined) return [];
  return [
    { name: "Postgres", open: () => RecallIndex.fromPostgres(url), time: medianMs, remove: () => undefined },
  ];
}

async function measure(size: number, { name: place, open, time, remove }: Place): Promise<Measured> {
  const thread = `bench-${process.pid}-${size}`;
  try {
    const all = passages(thread, size);
    const index = await open();
    for (let from = 0; from < all.length; from += 1_000) await index.add(all.slice(from, from + 1_000));
    let step = 0;
    const addMs = await time(() => index.add(fresh(step++, all)));
    const { name, answer } = needleOf(1, 40);
    const query = `what was said of ${name}`;
    let text = "";
    const search = async (opened: RecallIndex, question = query): Promise<void> => {
      text = (await opened.search(question, { thread })).map((hit) => hit.text).join("\n");
    };
    const frequentMs = await time(() => search(index, frequent));
    const searchMs = await time(() => search(index));
    await index.close();
    const restart = async (): Promise<void> => {
      const again = await open();
      await search(again);
      await again.close();
    };
    const restartMs = await time(restart, { rounds: 5 });
    const found = text.includes(answer);
    const last = await open();
    await last.removeThread(thread);
    await last.close();
    return { place, passages: size, addMs, searchMs, frequentMs, restartMs, found };
  } finally {
    remove();
  }
}

function passages(thread: string, count: number): Passage[] {
  const found: Passage[] = [];
  // A message of the made thread is more than one passage, so this many messages are enough.
  const messages = madeThread(Math.min(count, 20_000));
  for (let round = 0; found.length < count; round++) {
    for (let from = 0; from < messages.length && found.length < count; from += 200) {
      const path = `/context/history/${round}-${from}.md`;
      const parts = splitPassages(historyMarkdown(messages.slice(from, from + 200)));
      found.push(...parts.map((part) => ({ thread, path, ...part })));
    }
  }
  return found.slice(0, count);
}

function fresh(step: number, all: readonly Passage[]): Passage[] {
  const path = `/context/history/new-${step}.md`;
  return all.slice(step * batch, (step + 1) * batch).map((passage) => ({ ...passage, path }));
}

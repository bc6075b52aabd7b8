import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { historyMarkdown } from "@palimpsest/context";
import { RecallIndex, splitPassages, type Passage } from "@palimpsest/recall";
import { needleOf } from "../horizon/generated-steps.js";
import type { Suite } from "../suite.js";
import { madeThread } from "./made-thread.js";
import { medianCpuMs } from "./median-cpu-ms.js";

const thread = "bench";
/** Passages that come in with one step, in one transaction. */
const batch = 10;
const frequent = "reading a page of the region with open items, records and crates since week 30";

interface Measured {
  readonly passages: number;
  readonly addMs: number;
  readonly searchMs: number;
  /** A question of words that many passages hold. */
  readonly frequentMs: number;
  readonly restartMs: number;
  readonly found: boolean;
}

/** What the index of the archive costs as it grows: a step, a search, and the first search after a restart. */
export const indexOfArchive: Suite = async ({ quick = false, progress }) => {
  const measured: Measured[] = [];
  for (const size of quick ? [1_000] : [1_000, 10_000, 100_000]) {
    progress(`${size} passages`);
    measured.push(await measure(size));
  }
  const names = ["addMs", "searchMs", "frequentMs", "restartMs"] as const;
  return {
    suite: "index",
    question: "What does the index of the archive cost as it grows?",
    cases: measured.length,
    passed: measured.length > 0 && measured.every(({ found }) => found),
    tables: [
      {
        title: "Index of the archive, in a file",
        columns: [
          "passages",
          `ms to add a step of ${batch}`,
          "ms a search for what stands once",
          "ms a search for frequent words",
          "ms from opening to the first hit",
          "found",
        ],
        rows: measured.map(({ passages, addMs, searchMs, frequentMs, restartMs, found }) => [
          passages,
          addMs,
          searchMs,
          frequentMs,
          restartMs,
          found ? "yes" : "no",
        ]),
        note: "CPU, medians. A passage is 12 lines of an archived history. The question for what stands once has four more words.",
      },
    ],
    charts: [
      {
        title: "Index of the archive",
        x: { label: "passages", scale: "log" },
        y: { label: "ms", scale: "log" },
        series: names.map((label) => ({
          label,
          points: measured.map((row) => ({ x: row.passages, y: row[label] })),
        })),
      },
    ],
    numbers: { measured },
  };
};

async function measure(size: number): Promise<Measured> {
  const root = mkdtempSync(join(tmpdir(), "recall-"));
  const path = join(root, "index.db");
  try {
    const all = passages(size);
    const index = RecallIndex.fromPath(path);
    for (let from = 0; from < all.length; from += 1_000) index.add(all.slice(from, from + 1_000));
    let step = 0;
    const addMs = await medianCpuMs(() => index.add(fresh(step++, all)));
    const { name, answer } = needleOf(1, 40);
    const query = `what was said of ${name}`;
    let text = "";
    const search = async (open: RecallIndex, question = query): Promise<void> => {
      text = (await open.search(question, { thread })).map((hit) => hit.text).join("\n");
    };
    const frequentMs = await medianCpuMs(() => search(index, frequent));
    const searchMs = await medianCpuMs(() => search(index));
    index.close();
    const restartMs = await medianCpuMs(
      async () => {
        const again = RecallIndex.fromPath(path);
        await search(again);
        again.close();
      },
      { rounds: 5 },
    );
    return { passages: size, addMs, searchMs, frequentMs, restartMs, found: text.includes(answer) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function passages(count: number): Passage[] {
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

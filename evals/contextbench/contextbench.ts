import { sumOf } from "../metrics/sum-of.js";
import { number, numbers, readOptions } from "../run/read-options.js";
import type { CompactingSystem } from "../compactbench/systems.js";
import type { Suite } from "../suite.js";
import { playThread } from "./play-thread.js";
import { fits, questionSet, type QuestionSet } from "./question-set.js";
import { comparisonsOf, plannedTable, windowTable } from "./report-contextbench.js";
import { holds, rowsOf, type PlayedThread } from "./rows.js";
import { playedSystems } from "./systems.js";

const madeQuestions = { quick: 10, whole: 30 };

/**
 * Context-Bench (Apache-2.0): a scripted agent answers questions over files, several in one thread, and looks up again what
 * its context lost. `[--window N]... [--questions N] [--seed N]`; `--questions` are those of a thread.
 */
export const contextbench: Suite = async ({ data, quick = false, args, progress }) => {
  const {
    window,
    seed,
    questions: ofThread,
  } = readOptions(args, { window: numbers(2_000, []), questions: number(1, 5), seed: number(0, 11) });
  const set = questionSet(data, { seed, questions: quick ? madeQuestions.quick : madeQuestions.whole });
  const windows = window.length > 0 ? window : set.windows;
  const threads: PlayedThread[] = [];
  for (const window of windows)
    for (const [at, system] of playedSystems.entries()) {
      progress(`${at}/${playedSystems.length} ${system.name} at ${window}`);
      threads.push(...(await playAll(set, system, { window, ofThread })));
    }
  const rows = rowsOf(threads);
  return {
    suite: "contextbench",
    question:
      "How many questions over files are answered from a context that is compacted, and what is looked up again for them?",
    cases: sumOf(threads, ({ questions }) => questions.length),
    passed: holds(rows),
    tables: [plannedTable(set, windows), ...windows.map((window) => windowTable(rows, window, ofThread))],
    charts: [],
    comparisons: comparisonsOf(rows),
    tooSmall: set.absent === undefined ? [] : [set.absent],
    numbers: {
      set: set.name,
      windows,
      ofThread,
      rows: rows.map(({ system, ...row }) => ({ system: system.name, ...row })),
      threads: threads.map(({ system, ...thread }) => ({ system: system.name, ...thread })),
    },
  };
};

interface PlayOptions {
  readonly window: number;
  /** Questions of a thread. */
  readonly ofThread: number;
}

/** Plays all questions that fit a window, in their order, some in each thread. */
export async function playAll(
  { planned, corpus }: QuestionSet,
  system: CompactingSystem,
  { window, ofThread }: PlayOptions,
): Promise<readonly PlayedThread[]> {
  const questions = planned.filter((question) => fits(question, window));
  const threads: PlayedThread[] = [];
  for (let at = 0; at < questions.length; at += ofThread) {
    const played = await playThread(questions.slice(at, at + ofThread), system, { corpus, window });
    threads.push({ system, window, questions: played });
  }
  return threads;
}

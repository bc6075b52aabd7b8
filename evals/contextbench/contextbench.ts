import { parseArgs } from "node:util";
import { atLeast } from "../run/at-least.js";
import type { Suite } from "../suite.js";
import { playThread } from "./play-thread.js";
import { fits, questionSet, type QuestionSet } from "./question-set.js";
import { comparisonsOf, plannedTable, windowTable } from "./report-contextbench.js";
import { holds, rowsOf, type PlayedThread } from "./rows.js";
import { playedSystems, type PlayedSystem } from "./systems.js";

/** The made world has an eighth of the people of Context-Bench. */
const madeWindow = "8000";
const madeQuestions = { quick: 10, whole: 30 };

/**
 * Context-Bench (Apache-2.0): a scripted agent answers questions over files, several in one thread, and looks up again what
 * its context lost. `[--window N]... [--questions N] [--seed N]`; `--questions` are those of a thread.
 */
export const contextbench: Suite = async ({ data, quick = false, args, progress }) => {
  const options = optionsOf(args);
  const { seed, ofThread } = options;
  const set = questionSet(data, { seed, questions: quick ? madeQuestions.quick : madeQuestions.whole });
  const usual = set.name === "made world" ? [madeWindow] : ["16000", "32000"];
  const windows = (options.windows ?? usual).map((window) => atLeast("--window", window, 2_000));
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
    cases: threads.reduce((sum, { questions }) => sum + questions.length, 0),
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
  system: PlayedSystem,
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

function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      window: { type: "string", multiple: true },
      questions: { type: "string", default: "5" },
      seed: { type: "string", default: "11" },
    },
  });
  return {
    windows: values.window,
    ofThread: atLeast("--questions", values.questions, 1),
    seed: atLeast("--seed", values.seed, 0),
  };
}

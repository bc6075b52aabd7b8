import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Corpus, fileNames, type FileName } from "./corpus.js";
import { makeWorld } from "./made-world.js";
import { demandOf, type DemandedQuestion } from "./play-thread.js";
import { planQuestion, type Question, type UnplannedQuestion } from "./questions.js";

/** Where the files and the questions are. */
const originals =
  "letta-ai/letta-evals on GitHub (Apache-2.0), letta-leaderboard/filesystem-agent: its ten files belong into contextbench/files, " +
  "and datasets/filesystem_cloud.jsonl into contextbench/questions.jsonl";

/** Questions over one set of files, and what became of each. */
export interface QuestionSet {
  readonly name: string;
  /** Windows that it is played in. */
  readonly windows: readonly number[];
  readonly corpus: Corpus;
  readonly planned: readonly DemandedQuestion[];
  /** Its plan does not give the exact answer, or there is none. */
  readonly unplanned: readonly UnplannedQuestion[];
  /** Why the questions are made ones, although a folder was given. */
  readonly absent?: string;
}

/** Returns the questions of Context-Bench below a folder, or those of a made world where they are not there. */
export function questionSet(
  data: string | undefined,
  made: { seed: number; questions: number },
): QuestionSet {
  const folder = data === undefined ? undefined : join(data, "contextbench");
  if (folder !== undefined && existsSync(join(folder, "questions.jsonl")))
    return {
      name: "Context-Bench",
      windows: [16_000, 32_000],
      ...planned(new Corpus(readTexts(folder)), readQuestions(folder)),
    };
  const { texts, questions } = makeWorld(made.seed, made);
  // It has an eighth of the people of Context-Bench.
  const set = { name: "made world", windows: [8_000], ...planned(new Corpus(texts), questions) };
  const absent = `the questions of Context-Bench: ${data} has no contextbench/questions.jsonl. They are in ${originals}.`;
  return data === undefined ? set : { ...set, absent };
}

/** True where the records of a question fit below the trigger of a window. */
export function fits({ demand }: DemandedQuestion, window: number): boolean {
  return demand.tokens <= 0.85 * window;
}

function planned(
  corpus: Corpus,
  questions: readonly Question[],
): Pick<QuestionSet, "corpus" | "planned" | "unplanned"> {
  const all = questions.map((question) => planQuestion(question, corpus));
  return {
    corpus,
    planned: all.flatMap((one) => ("plan" in one ? [{ ...one, demand: demandOf(one, corpus) }] : [])),
    unplanned: all.filter((one) => "why" in one),
  };
}

function readTexts(folder: string): Readonly<Record<FileName, string>> {
  const texts = fileNames.map((file) => [file, readFileSync(join(folder, "files", `${file}.txt`), "utf8")]);
  return Object.fromEntries(texts) as Record<FileName, string>;
}

interface Line {
  readonly input: string;
  readonly ground_truth: string;
  readonly agent_args: { readonly extra: { readonly question_type: string } };
}

function readQuestions(folder: string): readonly Question[] {
  const lines = readFileSync(join(folder, "questions.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { input, ground_truth: truth, agent_args } = JSON.parse(line) as Line;
    return { text: input, truth, kind: agent_args.extra.question_type };
  });
}

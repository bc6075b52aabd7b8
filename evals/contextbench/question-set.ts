import { createHash } from "node:crypto";
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

/** The first half of the SHA-256 of the questions that Deep Agents has as its 30 calibrated tasks, in 12 digits. */
const calibrated: ReadonlySet<string> = new Set(
  (
    "eec96dd13912 4f02d45241de e4f4f8efccde 36d42cef382e d7634424fd91 e0cbbfede9e5 08a08f3a9217 041f83d41449 6dea6553067f " +
    "80ec7b94449d d6e1676e0b61 e695476676c1 a3dccab03e14 e2d77a88eb3c 3fa1bacd7f14 35f012b5c765 0395c1acb687 d5880176a905 " +
    "104c8fa44817 f62beb2e42dd 16d513ba2976 a455fbe5d952 a000efa24828 402a6b6bbb88 a057957d0f49 937e12f82bbe af0812efdda9 " +
    "3adde750d4f0 5d88653510ef f58020f06e45"
  ).split(" "),
);

/** Questions over one set of files, and what became of each. */
export interface QuestionSet {
  readonly name: string;
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
    return setOf("Context-Bench", new Corpus(readTexts(folder)), readQuestions(folder));
  const { texts, questions } = makeWorld(made.seed, made);
  const set = setOf("made world", new Corpus(texts), questions);
  const absent = `the questions of Context-Bench: ${data} has no contextbench/questions.jsonl. They are in ${originals}.`;
  return data === undefined ? set : { ...set, absent };
}

/** True for one of the 30 calibrated tasks of Deep Agents. */
export function isCalibrated({ text }: Question): boolean {
  return calibrated.has(createHash("sha256").update(text).digest("hex").slice(0, 12));
}

/** True where the records of a question fit below the trigger of a window. */
export function fits({ demand }: DemandedQuestion, window: number): boolean {
  return demand.tokens <= 0.85 * window;
}

function setOf(name: string, corpus: Corpus, questions: readonly Question[]): QuestionSet {
  const planned: DemandedQuestion[] = [];
  const unplanned: UnplannedQuestion[] = [];
  for (const question of questions.map((one) => planQuestion(one, corpus))) {
    if ("plan" in question) planned.push({ ...question, demand: demandOf(question, corpus) });
    else unplanned.push(question);
  }
  return { name, corpus, planned, unplanned };
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

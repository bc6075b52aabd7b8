import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { pick } from "../data/pick.js";
import { randomFrom } from "../data/random-from.js";
import { oneSpacedOf } from "../data/text-of.js";
import type { Trajectory } from "../data/trajectory.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { constrainedRun } from "./constrained-run.js";
import { root } from "../root.js";
import { foldRun } from "./fold-run.js";
import { rulesOf } from "./rules-of.js";

/** Sentences of one language: what a user rules about each of four things, and small talk. */
interface RuleText {
  readonly things: readonly string[];
  /** With a word that forbids or demands. `X` stands for a thing. */
  readonly withWord: readonly string[];
  readonly withoutWord: readonly string[];
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  /** Between sentences. @default a space */
  readonly space?: string;
}

/** By language. */
const ruleTexts = JSON.parse(readFileSync(join(root, "evals/retention/user-rules.json"), "utf8")) as Readonly<
  Record<string, RuleText>
>;

/** A run in which each message of the user has one rule somewhere in small talk. */
interface RuleCase {
  readonly language: string;
  /** The rules contain a word that forbids or demands. */
  readonly hasWord: boolean;
  /** Sentences of small talk around each rule. */
  readonly around: number;
}

/** What is left of a user's rules, one in each message, after the messages were folded. */
export interface UserRules extends RuleCase {
  readonly compactions: number;
  readonly rules: number;
  /** Rules in what the model sees, word for word. */
  readonly seen: number;
  /** Messages of which a line is there. */
  readonly messages: number;
  /** Control: rules that a search for English words finds in the same messages. */
  readonly english: number;
  /** Tokens of four characters of the context. */
  readonly tokens: number;
}

/** Numbers of sentences around a rule: the whole message fits into a line, and it does not. */
const surroundings = [2, 9];
/** Steps of the agent after each message, and after the last one. */
const steps = { between: 2, after: 14 };

/** Plays 24 rules of each language and kind through the node, over many compactions; in short, among much small talk alone. */
export async function measureUserRules(
  contextWindow: number,
  isShort: boolean,
): Promise<readonly UserRules[]> {
  const cases = Object.keys(ruleTexts).flatMap((language) =>
    [true, false].flatMap((hasWord) =>
      (isShort ? surroundings.slice(-1) : surroundings).map((around) => ({ language, hasWord, around })),
    ),
  );
  const results: UserRules[] = [];
  for (const one of cases) results.push(await measure(one, contextWindow));
  return results;
}

async function measure(one: RuleCase, contextWindow: number): Promise<UserRules> {
  const { run, rules } = ruleRun(one);
  let [compactions, text] = [0, ""];
  await foldRun(run, {
    contextWindow,
    marks: Array.from({ length: 200 }, (_, at) => at + 1),
    look(folded) {
      compactions = folded.compactions;
      text = oneSpacedOf(folded.context);
    },
  });
  if (compactions === 0) throw new Error(`No compaction in a window of ${contextWindow} tokens`);
  const users = run.messages.filter((message) => message.getType() === "human");
  const english = new Set(rulesOf(users));
  return {
    ...one,
    compactions,
    rules: rules.length,
    seen: rules.filter((rule) => text.includes(rule)).length,
    messages: users.filter((message) => hasLine(message, text)).length,
    english: rules.filter((rule) => english.has(rule)).length,
    tokens: Math.round(text.length / 4),
  };
}

/** True when a sentence of the message, or the first 20 characters of one, is there. */
function hasLine(message: BaseMessage, text: string): boolean {
  const sentences = message.text.split(/(?<=[.!?।])\s+|(?<=。)/);
  return sentences.some((sentence) => text.includes(sentence.slice(0, 20)));
}

function ruleRun({ language, hasWord, around }: RuleCase): {
  readonly run: Trajectory;
  readonly rules: readonly string[];
} {
  const said = ruleTexts[language];
  if (said === undefined) throw new Error(`No rules in ${language}`);
  const { space = " " } = said;
  const random = randomFrom(7);
  const patterns = hasWord ? said.withWord : said.withoutWord;
  const rules = said.things.flatMap((thing) =>
    patterns.map((pattern) => {
      const rule = pattern.replace("X", () => thing);
      return rule.charAt(0).toUpperCase() + rule.slice(1);
    }),
  );
  const made = constrainedRun({ seed: 3, steps: rules.length * steps.between + steps.after });
  const work = made.messages.filter((message) => message.getType() !== "human");
  const messages = rules.flatMap((rule, index) => {
    const talk = Array.from(
      { length: around },
      () => `${pick(said.starts, random)}${space}${pick(said.ends, random)}`,
    );
    const content = talk.toSpliced(Math.floor(random() * (around + 1)), 0, rule).join(space);
    const from = index * steps.between * 2;
    return [new HumanMessage({ id: `u${index}`, content }), ...work.slice(from, from + steps.between * 2)];
  });
  const rest = work.slice(rules.length * steps.between * 2);
  const id = `rules-${language}-${hasWord}-${around}`;
  return { run: { set: "made tasks", id, messages: [...messages, ...rest] }, rules };
}

/** True when every rule with a word, every rule of a short message and a line of every message is there. */
export function userRulesHold(results: readonly UserRules[]): boolean {
  return (
    results.length > 0 &&
    results.every(({ rules, messages }) => messages === rules) &&
    results.every(({ hasWord, around, rules, seen }) => seen === rules || (!hasWord && around > 2))
  );
}

export function userRulesTable(results: readonly UserRules[], contextWindow: number): Table {
  const languages = new Set(results.map(({ language }) => language)).size;
  return tableOf(results, {
    title: `Rules of the user in ${languages} languages, one in each of 24 messages, window of ${contextWindow} tokens`,
    columns: [
      ["language", ({ language }) => language],
      ["rules", ({ hasWord }) => (hasWord ? "with never, must, …" : "without such a word")],
      ["sentences around", ({ around }) => around],
      ["compactions", ({ compactions }) => compactions],
      ["word for word", ({ rules, seen }) => `${seen} of ${rules}`],
      ["messages with a line", ({ rules, messages }) => `${messages} of ${rules}`],
      ["found by English words", ({ rules, english }) => `${english} of ${rules}`],
      ["tokens of four characters", ({ tokens }) => tokens],
    ],
    note:
      "No summary model. Promised are a line of every message, all of a message that fits into a line, and rules with a word " +
      "of the table of languages. Which sentence of a long message is a rule without such a word is a guess. The column of " +
      "English words is the control: how many of the rules a search for English words finds.",
  });
}

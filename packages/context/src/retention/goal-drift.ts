import type { BaseMessage } from "@langchain/core/messages";
import { isUserMessage } from "../folds/fold.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { messageText } from "../messages/text.js";
import { hasUnspaced } from "../words/unspaced.js";
import { words } from "../words/words.js";

/** Letters of a word that tells a subject: shorter ones are in every text. */
const leastLetters = 5;

/** The newest tool calls, one after the other, that have nothing in common with the goal. */
export interface Drift {
  readonly calls: number;
  /** Id of the oldest message with one of them; undefined if there is none, or it has no id. */
  readonly since: string | undefined;
}

/**
 * Returns the newest tool calls that share no telling word with the first and the newest message of the user and the newest plan. A
 * call is told by its arguments and the text beside it. None without a goal. Pure.
 *
 * Telling are words of five letters or more, words of letters and digits, and pairs of a script without spaces. A goal of many words
 * has one in common with nearly every call.
 */
export function goalDrift(messages: readonly BaseMessage[]): Drift {
  const users = messages.filter(isUserMessage);
  const goal = new Set([users.at(0), users.at(-1), newestPlan(messages)].flatMap(tellingWords));
  let drift: Drift = { calls: 0, since: undefined };
  if (goal.size === 0) return drift;
  for (const message of messages.toReversed()) {
    if (isUserMessage(message)) break;
    const calls = isAi(message) ? toolCalls(message).length : 0;
    if (calls === 0) continue;
    if (isAbout(message, goal)) break;
    drift = { calls: drift.calls + calls, since: message.id };
  }
  return drift;
}

/** True for a word in common, or three pairs: two texts of a script without spaces share a pair by chance. */
function isAbout(message: BaseMessage, goal: ReadonlySet<string>): boolean {
  const shared = tellingWords(message).filter((word) => goal.has(word));
  return shared.length >= 3 || shared.some((word) => !hasUnspaced(word));
}

const known = new WeakMap<BaseMessage, readonly string[]>();

function tellingWords(message: BaseMessage | undefined): readonly string[] {
  if (message === undefined) return [];
  const seen = known.get(message) ?? wordsIn(message);
  known.set(message, seen);
  return seen;
}

function wordsIn(message: BaseMessage): readonly string[] {
  const args = toolCalls(message).map(({ args: given }) => JSON.stringify(given));
  const text = [messageText(message), ...args].join("\n").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  const found = words(text).flatMap((word) => [word, ...word.split("_")]);
  return [...new Set(found)].filter(
    (word) => word.length >= leastLetters || /\d\D|\D\d/.test(word) || hasUnspaced(word),
  );
}

/** The newest call that writes down a plan. */
function newestPlan(messages: readonly BaseMessage[]): BaseMessage | undefined {
  return messages.findLast(
    (message) => isAi(message) && toolCalls(message).some(({ name }) => plans.has(name)),
  );
}

/** Tools that write down a plan: of Deep Agents, and of coding agents. */
const plans: ReadonlySet<string> = new Set(["write_todos", "TodoWrite", "todowrite", "update_plan"]);

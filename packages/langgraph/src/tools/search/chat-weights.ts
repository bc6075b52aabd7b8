import { isHistoryPath } from "@palimpsest/context/internal";
import type { Passage } from "@palimpsest/recall";

/** A passage that begins with words of the user, below the title of a turn where it has one. */
const saidByUser = /^(?:# Turn \d+, \S+\s+)?## \d+\. human\b/;
const said = /^## \d+\. (?:human|ai)\b/m;
/** What only a thread with other tools than the search has in its history: a result, or a call. */
const ofTools = /^## \d+\. tool\b(?! search_history\b)|^Calls (?!search_history\b)[\w-]+: [{[]/m;
/** The most that the words of the briefer side count. */
const most = 5;
/** Exponent of how many times longer the messages of one side are (evals, beam and locomo). */
const power = 0.75;
/** Exponent of a passage's own characters, which its words cost. */
const ownCost = 0.5;
/** Shares of a score for the neighbours of a passage (evals, recall and locomo). */
const shares = { chat: 0.3, results: 0.1 };

/**
 * Returns the weights of passages in a chat without tools: those of the user count more if the messages of the assistant are longer,
 * by how many times to the power of 0.75, and at most five times, because a brief speaker says as much in fewer tokens. A
 * passage counts less by the square root of its length. All weigh 1 in any other thread: there, results hold what is searched. Pure.
 */
export function chatWeights(passages: readonly Passage[]): readonly number[] {
  const user = passages.filter(({ text }) => saidByUser.test(text));
  const others = passages.filter(({ text }) => !saidByUser.test(text));
  if (!isChat(passages) || user.length === 0 || others.length === 0) return passages.map(() => 1);
  const mean = passages.reduce((sum, { text }) => sum + text.length, 0) / passages.length;
  const ratio = messageLength(others, /^## \d+\. ai\b/m) / messageLength(user, saidByUser);
  const weight = Math.max(1 / most, Math.min(most, ratio ** power));
  return passages.map(
    ({ text }) => (saidByUser.test(text) ? weight : 1) * (mean / Math.max(1, text.length)) ** ownCost,
  );
}

/**
 * Returns the share of their score that the neighbours of these passages get: more in a chat, where an answer is next to its question,
 * than among the lines of results. Pure.
 */
export function chatNeighbours(passages: readonly Passage[]): number {
  return isChat(passages) ? shares.chat : shares.results;
}

/** Returns true for passages of messages, of a thread or of the turns of other threads, none of a result or a call of another tool than the search. Pure. */
export function isChat(passages: readonly Passage[]): boolean {
  const areWords = passages.every(
    ({ path, kind, text }) => (isHistoryPath(path) || kind === "turns") && !ofTools.test(text),
  );
  return areWords && passages.some(({ text }) => said.test(text));
}

/** Returns the characters of some passages for each heading in them: a long message has passages without one. */
function messageLength(passages: readonly Passage[], heading: RegExp): number {
  const messages = passages.filter(({ text }) => heading.test(text)).length;
  return passages.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, messages);
}

import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "../fold.js";
import { messageText } from "../message-text.js";
import { isSummary } from "../plan-summary.js";
import { emptySummary, parseSummary, type Summary } from "../summary.js";

/** Files of earlier folds that a summary names; older ones are named in the files of those. */
const mostFiles = 24;

/**
 * Returns what the earlier summaries among the messages say, with the files of their originals in the index.
 *
 * Pure. The newest says all that those before it said, for each was made over the one before.
 */
export function earlierSummary(messages: readonly BaseMessage[]): Summary {
  const stood = messages.filter(isSummary);
  const parsed = stood.map((message) => parseSummary(messageText(message)) ?? emptySummary);
  const latest = parsed.at(-1) ?? emptySummary;
  const files = stood.flatMap((message) => {
    const fold = foldOf(message);
    return fold === undefined ? [] : [`${fold.about ?? "earlier messages"}: ${fold.path}`];
  });
  const constraints = [...new Set(parsed.flatMap((summary) => summary.constraints))];
  const index = [...new Set([...parsed.flatMap((summary) => summary.index), ...files])];
  return { ...latest, constraints, index: bounded(index) };
}

/** Names the folder once there are more files than are worth a line each. */
const older = "older messages: /context/history/";

function bounded(index: readonly string[]): readonly string[] {
  const files = index.filter((entry) => entry !== older);
  const all = files.length === index.length && files.length <= mostFiles;
  return all ? files : [older, ...files.slice(-mostFiles)];
}

import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type ArchiveWrite, type Fold, type Lane, type Rewrite } from "@palimpsest/context";
import { isAi, messageText, standInsPath } from "@palimpsest/context/internal";

/** The run of an agent with a lane. */
export interface LaneRun {
  readonly lane: Lane;
  readonly thread: string;
  readonly namespace: string;
}

/**
 * Returns the file with the new stand-ins of a rewrite, as the model reads them, and with the run that has made them: what others may
 * read of a lane with the share `summary`. No file without a new stand-in. Pure; the name is a digest of the content.
 */
export function standInFiles({ messages, folds }: Rewrite, run: LaneRun): readonly ArchiveWrite[] {
  const made = new Set(folds);
  const shown = messages.flatMap((message) => {
    const fold = foldOf(message);
    return fold !== undefined && made.has(fold) ? [section(message, fold)] : [];
  });
  if (shown.length === 0) return [];
  const head = [`# ${agentLine(run.lane.name)}`, `${threadLine}${run.thread}`, `${runLine}${run.namespace}`];
  const content = [head.join("\n"), ...shown].join("\n\n").toWellFormed();
  return [{ path: standInsPath(content, run.lane), content: `${content}\n` }];
}

const threadLine = "Thread: ";
const runLine = "Run: ";

function agentLine(name: string): string {
  return `Stand-ins of the agent ${name}`;
}

/** A message of the agent itself is no stand-in for its words: the fold is named, and they stay the agent's own. */
function section(message: BaseMessage, { kind, path }: Fold): string {
  const heading = `## ${kind}: ${path}`;
  return isAi(message) ? heading : `${heading}\n\n${messageText(message)}`;
}

/** Returns the run in a file of stand-ins if it is the one that has made a fold at a path; undefined otherwise. Pure. */
export function runInFile(content: string, path: string): Omit<LaneRun, "lane"> | undefined {
  const [, threadOf = "", runOf = ""] = content.split("\n", 3);
  if (!threadOf.startsWith(threadLine) || !runOf.startsWith(runLine)) return undefined;
  const stem = path.replace(/\.[a-z]+$/, "");
  if (!content.split("\n").some((line) => line.startsWith("## ") && line.includes(`: ${stem}`)))
    return undefined;
  return { thread: threadOf.slice(threadLine.length), namespace: runOf.slice(runLine.length) };
}

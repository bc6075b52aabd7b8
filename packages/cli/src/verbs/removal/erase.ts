import { readFileSync } from "node:fs";
import type { ErasedThread, EraseMatch, Erasure } from "@palimpsest/checkpoint";
import { RecallIndex } from "@palimpsest/recall";
import { CliError, UsageError } from "../../cli-error.js";
import { isPostgres } from "../../open-storage.js";
import { count, counted, oneLine, terminalText } from "../../terminal-text.js";
import type { Report, Verb, VerbInput } from "../../verb.js";

type Options = VerbInput["options"];

/** Erases threads, or texts wherever they stand. */
export const erase: Verb = {
  name: "erase",
  description:
    "Erase texts wherever they stand, or whole threads, so that no byte is left; a tombstone says when and why",
  args: ["[threads...]"],
  options: [
    ["--reason <text>", "why, for the tombstones; one line without the text itself"],
    ["--match-from <file>", "a file with the texts to erase, one on each line; - reads them from the input"],
    ["--expression <regex>", "erase what this regular expression matches"],
    ["--scope <name>", "the threads of a scope of memories, such as a user"],
    ["--index <index>", "the path or url of the index of the archives, which is cleaned too"],
    ["--dry-run", "say what would be erased, and erase nothing"],
    ["--yes", "erase; without it nothing is erased"],
  ],
  writesWith: "yes",
  async run({ saver, args, options, progress }) {
    const isDry = options["dryRun"] === true;
    if (isDry && options["yes"] === true)
      throw new UsageError("--dry-run erases nothing and --yes erases. Pass one of them.");
    const { reason, scope } = options as { readonly reason?: string; readonly scope?: string };
    if (reason === undefined) throw new UsageError("--reason is missing: it stands in the tombstones.");
    const threads = args.filter((thread) => thread !== undefined);
    const match = matchesIn(options);
    if (threads.length === 0 && scope === undefined && match.length === 0)
      throw new UsageError("Nothing to erase is named. Pass threads, --scope, --match-from or --expression.");
    const dryRun = options["yes"] !== true;
    const index = await openIndex(options["index"]);
    try {
      progress("reading every thread");
      const erasure = await saver.erase({
        reason,
        dryRun,
        ...(threads.length === 0 ? {} : { thread: threads }),
        ...(scope === undefined ? {} : { scope }),
        ...(match.length === 0 ? {} : { match }),
        ...(index === undefined ? {} : { index }),
      });
      return reportOf(erasure, { isDry, dryRun, isScope: scope !== undefined });
    } finally {
      await index?.close();
    }
  },
};

/** The texts are in a file, because a command line stays in the history of the shell. */
function matchesIn({ matchFrom, expression }: Options): readonly EraseMatch[] {
  const lines = matchFrom === undefined ? [] : readLines(String(matchFrom));
  if (expression === undefined) return lines;
  try {
    return [...lines, new RegExp(String(expression), "u")];
  } catch (cause) {
    throw new UsageError(`--expression is ${String(expression)}: ${(cause as Error).message}`, { cause });
  }
}

function readLines(path: string): readonly string[] {
  try {
    const text = readFileSync(path === "-" ? 0 : path, "utf8");
    const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
    if (lines.length > 0) return lines;
  } catch (cause) {
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new UsageError(`${path} holds no text. Write each text on a line of its own.`);
}

async function openIndex(given: Options[string]): Promise<RecallIndex | undefined> {
  if (given === undefined) return undefined;
  const target = String(given);
  return isPostgres(target) ? RecallIndex.fromPostgres(target) : RecallIndex.fromPath(target);
}

interface Asked {
  /** Nothing else was asked for. */
  readonly isDry: boolean;
  readonly dryRun: boolean;
  /** The threads are those of a scope. */
  readonly isScope: boolean;
}

function reportOf({ failed, ...erasure }: Erasure, { isDry, dryRun, isScope }: Asked): Report {
  const { threads, elsewhere, left } = erasure;
  // A scope lists threads that were deleted since, too.
  const absent = threads.filter(({ missing }) => missing && !isScope);
  const found = threads.filter((thread) => !absent.includes(thread));
  const lines = [
    ...linesOf(found, absent, dryRun),
    ...(elsewhere.length === 0
      ? []
      : [
          `It also stands in ${counted(elsewhere.length, "thread")}: ${elsewhere.map((id) => oneLine(id, 60)).join(", ")}`,
        ]),
    ...failed.map(({ threadId, error }) => `${oneLine(threadId, 60)} stays as it is: ${error.message}`),
    ...left.map((sentence) => `Left: ${sentence}`),
    ...(dryRun && !isDry && found.length > 0 ? ["Nothing is erased. Add --yes to erase."] : []),
  ];
  return {
    data: {
      ...erasure,
      failed: failed.map(({ threadId, error }) => ({ threadId, error: error.message })),
      dryRun,
    },
    text: terminalText(`${lines.join("\n")}\n`),
    isFailure: failed.length > 0 || absent.length > 0 || (dryRun && !isDry && found.length > 0),
  };
}

/** A mistyped id must not look like an erasure. */
function linesOf(
  found: readonly ErasedThread[],
  absent: readonly ErasedThread[],
  dryRun: boolean,
): readonly string[] {
  const missing = absent.map(
    ({ threadId }) =>
      `${oneLine(threadId, 60)}: nothing is stored of this thread. Check its id; "palimpsest threads" lists all threads.`,
  );
  if (found.length > 0)
    return [
      `${dryRun ? "Would erase" : "Erased"} in ${counted(found.length, "thread")}:`,
      ...found.map(lineOf),
      ...missing,
    ];
  return missing.length > 0 ? missing : ["Nothing matches."];
}

function lineOf({
  threadId,
  deleted,
  checkpoints,
  archiveFiles,
  workspaceFiles,
  texts,
}: ErasedThread): string {
  const name = oneLine(threadId, 60);
  if (deleted) return `  ${name}: the whole thread`;
  return `  ${name}: ${counted(texts, "text")} in ${count(checkpoints)} checkpoints, ${count(archiveFiles)} files of the archive, ${count(workspaceFiles)} workspace files`;
}

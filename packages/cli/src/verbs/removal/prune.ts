import type { PruneOptions, RetainedThreads, VfsSaver } from "@palimpsest/checkpoint";
import { stepsOf } from "@palimpsest/inspector";
import { UsageError } from "../../cli-error.js";
import { count, counted, terminalText } from "../../terminal-text.js";
import { countOption, type Report, type Verb, type VerbInput } from "../../verb.js";

/** Threads of one call of `retain`, between two lines of progress. */
const threadsAtOnce = 100;

/** Deletes old checkpoints, and idle threads. */
export const prune: Verb = {
  name: "prune",
  description:
    "Delete old checkpoints of a thread, or of all threads; the newest state and the archive of each stay whole",
  args: ["[thread]"],
  options: [
    ["--all", "all threads"],
    ["--keep <number>", "number of newest checkpoints to keep, in each namespace of a thread"],
    ["--older-than <age>", "keep checkpoints that are younger, such as 30d or 12h"],
    ["--keep-tag <tags...>", "keep checkpoints of runs with one of these as metadata.tag"],
    ["--idle <age>", "delete threads without a checkpoint for so long, with their archives"],
    ["--keep-archives", "keep the archives of deleted threads"],
    ["--dry-run", "say what would be deleted, and delete nothing"],
    ["--yes", "delete; without it nothing is deleted"],
  ],
  writesWith: "yes",
  async run({ saver, args: [threadId], options, progress }) {
    const isDry = options["dryRun"] === true;
    if (isDry && options["yes"] === true)
      throw new UsageError("--dry-run deletes nothing and --yes deletes. Pass one of them.");
    const policy = policyOf(options);
    const dryRun = options["yes"] !== true;
    if ((threadId === undefined) !== (options["all"] === true))
      throw new UsageError("Pass a thread, or --all for every thread of the storage.");
    if (threadId === undefined) return pruneAll({ saver, options, progress }, { ...policy, dryRun });
    if (options["idle"] !== undefined)
      throw new UsageError("--idle deletes threads. Pass --all in place of the thread, or leave --idle out.");
    await stepsOf(saver, threadId);
    const pruned = await saver.prune(threadId, { ...policy, dryRun });
    return dryRun ? preview({ threadId, pruned, isDry, given: givenIn(options) }) : done(threadId, pruned);
  },
};

type Options = VerbInput["options"];

function policyOf(options: Options): PruneOptions {
  const { keep, olderThan, keepTag } = options as { readonly keepTag?: readonly string[] } & Options;
  const needsKeep = olderThan === undefined && options["idle"] === undefined;
  return {
    ...(keep === undefined && !needsKeep ? {} : { keepLast: countOption(options, "keep") }),
    ...(olderThan === undefined ? {} : { olderThan: before(options, "olderThan") }),
    ...(keepTag === undefined ? {} : { keepTagged: keepTag }),
  };
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

/** Returns the time that an option such as 30d, 12h or 90m leads back to. */
function before(options: Options, name: string): Date {
  const text = String(options[name]);
  const [, number, unit = ""] = /^(\d+)([dhm])$/.exec(text) ?? [];
  if (number !== undefined) return new Date(Date.now() - Number(number) * (units[unit] ?? 0));
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} is ${text}. Pass days, hours or minutes, such as 30d, 12h or 90m.`);
}

function givenIn({ keep, olderThan }: Options): string {
  return [
    keep === undefined ? "" : `--keep ${String(keep)}`,
    olderThan === undefined ? "" : `--older-than ${String(olderThan)}`,
  ]
    .filter(Boolean)
    .join(" ");
}

type Pruned = Awaited<ReturnType<VfsSaver["prune"]>>;

function done(threadId: string, pruned: Pruned): Report {
  const text = `${threadId}: deleted ${what(pruned)}.\n`;
  return { data: { thread: threadId, ...pruned }, text: terminalText(text) };
}

function what({ checkpoints, blobs, files }: Pruned): string {
  return `${counted(checkpoints, "checkpoint")}, ${counted(blobs, "value")} and ${counted(files, "file content")} that only they used`;
}

interface Preview {
  readonly threadId: string;
  readonly pruned: Pruned;
  /** Whether this is all that was asked for. */
  readonly isDry: boolean;
  readonly given: string;
}

function preview({ threadId, pruned: { checkpoints, of = 0, until }, isDry, given }: Preview): Report {
  const data = { thread: threadId, checkpoints, of, dryRun: true };
  const newest = until === undefined ? "" : `, the newest of them of ${until}`;
  const text = `${threadId}: ${given} would delete ${count(checkpoints)} of ${counted(of, "checkpoint")}${newest}. The newest state and the archive stay whole; forks and time travel to these steps end.\n`;
  return { data, text: terminalText(text) + way(isDry, checkpoints), isFailure: !isDry && checkpoints > 0 };
}

function way(isDry: boolean, deleted: number): string {
  return isDry || deleted === 0 ? "" : "Nothing is deleted. Add --yes to delete.\n";
}

interface PrunedThreads extends Pruned {
  readonly visited: number;
  readonly deleted: number;
  readonly dryRun: boolean;
}

function sentenceOf({ dryRun, deleted, visited, ...pruned }: PrunedThreads): string {
  const idle = counted(deleted, "idle thread");
  const other = `of the other ${counted(visited - deleted, "thread")}`;
  return dryRun
    ? `Would delete ${idle}, and ${counted(pruned.checkpoints, "checkpoint")} ${other}.\n`
    : `Deleted ${idle}, and ${other}: ${what(pruned)}.\n`;
}

async function pruneAll(
  { saver, options, progress }: Pick<VerbInput, "saver" | "options" | "progress">,
  policy: PruneOptions,
): Promise<Report> {
  const { dryRun = false } = policy;
  const given = {
    ...policy,
    ...(options["idle"] === undefined ? {} : { idleSince: before(options, "idle") }),
    keepArchives: options["keepArchives"] === true,
    maxThreads: threadsAtOnce,
  };
  const sum = { visited: 0, checkpoints: 0, blobs: 0, files: 0 };
  // Only JSON names them: there may be a million.
  const names: string[] = [];
  let deleted = 0;
  const failed: RetainedThreads["failed"][number][] = [];
  for (let next: string | undefined = ""; next !== undefined;) {
    const part: RetainedThreads = await saver.retain({ ...given, after: next });
    for (const name of ["visited", "checkpoints", "blobs", "files"] as const) sum[name] += part[name];
    deleted += part.deleted.length;
    if (options["json"] === true) names.push(...part.deleted);
    failed.push(...part.failed);
    progress(`visited ${counted(sum.visited, "thread")}`);
    next = part.next;
  }
  const isDry = options["dryRun"] === true;
  const text = sentenceOf({ ...sum, deleted, dryRun });
  const faults = failed
    .map(({ threadId, error }) => `${threadId} stays as it is: ${error.message}\n`)
    .join("");
  const isDue = dryRun && deleted + sum.checkpoints > 0;
  return {
    data: {
      ...sum,
      deleted: names,
      failed: failed.map(({ threadId, error }) => ({ threadId, error: error.message })),
      dryRun,
    },
    text: terminalText(text + faults) + (dryRun ? way(isDry, deleted + sum.checkpoints) : ""),
    isFailure: failed.length > 0 || (isDue && !isDry),
  };
}

import { existsSync, statSync } from "node:fs";
import { readSession, SessionError } from "@palimpsest/sessions";
import { CliError, UsageError } from "../cli-error.js";
import { copyThreads } from "../savers/copy-threads.js";
import { checkSource, openOtherSaver, otherFailed, type OtherSaver } from "../savers/other-saver.js";
import { importSession, type ImportReport } from "../sessions/import-session.js";
import { isPostgres } from "../open-storage.js";
import { chunksOf, isSessionPath, isSqlite, sessionFiles } from "../sessions/session-files.js";
import { count, oneLine, renderTable } from "../terminal-text.js";
import type { Report, Verb, VerbInput } from "../verb.js";

/**
 * Imports sessions of other agents, or copies threads of LangGraph's own savers. A repeated import continues where the last one
 * ended.
 */
export const importThreads: Verb = {
  name: "import",
  description:
    "Import sessions of coding agents, `import PATH… STORAGE`, or copy threads of LangGraph's savers, `import STORAGE SOURCE [THREAD…]`",
  args: ["<source>", "[threads...]"],
  options: [],
  canWrite: "create",
  // The storage comes last after the sessions that go into it, as the target of a copy does.
  arrange: async (target, args) => {
    const given = args.filter((one) => one !== undefined);
    const last = given.at(-1);
    const paths = [target, ...given.slice(0, -1)];
    if (last === undefined || !(await holdSessions(paths))) return { target, args };
    return { target: last, args: paths };
  },
  check: async ([from = ""]) => {
    checkSource(from);
    if (!(await isSessionPath(from))) await (await openOtherSaver(from)).close();
  },
  async run(input) {
    const [from = "", ...rest] = input.args.filter((one) => one !== undefined);
    if (await isSessionPath(from)) return importSessions([from, ...rest], input);
    const source = await openOtherSaver(from);
    try {
      const threads = rest.length > 0 ? rest : await threadsOf(source, from);
      const { saver: to, progress } = input;
      return await copyThreads({ from: source.saver, to, other: from, threads, progress });
    } finally {
      await source.close();
    }
  },
};

async function threadsOf({ threads }: OtherSaver, from: string): Promise<readonly string[]> {
  return threads().catch((error: unknown) => {
    throw otherFailed(error, from);
  });
}

/**
 * True if paths are those of sessions, false if the first is that of a storage. Throws an error that names them if none can be
 * either: a storage that is created meanwhile would be left behind.
 */
async function holdSessions(paths: readonly string[]): Promise<boolean> {
  const [first = ""] = paths;
  if (!(await isSessionPath(first)) && mayBeStorage(first)) return false;
  const files = sessionFiles(paths);
  for (const file of files) if (await isSessionPath(file)) return true;
  // Says why the first is none.
  for await (const _ of readSession(chunksOf(files[0] ?? first), { name: files[0] ?? first })) break;
  return false;
}

/** A storage is a database, or not there yet. */
function mayBeStorage(path: string): boolean {
  if (isPostgres(path)) return true;
  const isNamedAsSession = /\.jsonl?$/.test(path);
  if (!existsSync(path) || statSync(path).size === 0) return !isNamedAsSession;
  return isSqlite(path);
}

async function importSessions(
  paths: readonly string[],
  { saver, progress, notice }: VerbInput,
): Promise<Report> {
  const reports: ImportReport[] = [];
  let refused = 0;
  const files = sessionFiles(paths);
  for (const path of files) {
    try {
      reports.push(await importSession(path, { saver, progress }));
    } catch (error) {
      // One file that is no session, or that has changed, stops none of the others.
      const isChanged = error instanceof CliError && files.length > 1;
      if (!isChanged && !SessionError.isInstance(error)) throw error;
      refused += 1;
      notice(oneLine(error.message, 400));
    }
  }
  if (reports.length === 0) throw new UsageError("None of the files is a session. The lines above say why.");
  const isDamaged = reports.some(({ broken }) => broken.length > 0);
  return { data: reports, text: textOf(reports), isFailure: refused > 0 || isDamaged };
}

function textOf(reports: readonly ImportReport[]): string {
  const head = [
    "thread",
    "format",
    "records",
    "messages",
    "folds",
    "subagents",
    "checkpoints",
    "unknown",
    "broken",
  ];
  const rows = reports.map((report) => [
    report.thread,
    report.format,
    report.records,
    report.messages,
    report.folds,
    report.subagents.length,
    report.written,
    Object.values(report.unknown).reduce((sum, one) => sum + one, 0),
    report.broken.length,
  ]);
  const bytes = reports.reduce((sum, report) => sum + report.bytes, 0);
  const broken = reports.flatMap(({ file, broken: lines, unfinished = [] }) =>
    lines.concat(unfinished).map((line) => `${oneLine(`${file}, ${line}`, 300)}\n`),
  );
  return `${renderTable(head, rows)}${broken.join("")}${count(reports.length)} sessions, ${count(bytes)} bytes, each of them in the archives.\n`;
}

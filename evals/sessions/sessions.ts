import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateDialogue } from "../data/made/generate-dialogue.js";
import { readDialogues } from "../data/read-dialogues.js";
import type { Suite, SuiteOptions } from "../suite.js";
import { checkImport, type Imported } from "./check-import.js";
import { command } from "./command.js";
import { historyClient } from "./history-client.js";
import { meetingsOf, rankOf } from "./meetings.js";
import { findNeedle, needlesOf } from "./needles.js";
import {
  holds,
  importTable,
  isWhole,
  searchRows,
  searchTable,
  type Answer,
  type ImportRow,
  type SearchRow,
} from "./report-sessions.js";
import { generatedSet, recordedSets, sessionsIn, type SessionSet } from "./session-sets.js";
import { readOptions, text } from "../run/read-options.js";

/** A set, and the storage that it was imported into. */
interface Stored {
  readonly row: ImportRow;
  readonly storage: string;
}

/**
 * Imports sessions, compares what is stored with the files, and searches it as an agent does. `--from DIR` takes every session
 * below a folder, such as `~/.claude/projects`.
 */
export const sessions: Suite = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), "sessions-"));
  try {
    const imports: ImportRow[] = [];
    const searches: SearchRow[] = [];
    for (const [at, set] of setsOf(options, folder).entries()) {
      const stored = await importSet(set, join(folder, `set-${at}.db`), options);
      imports.push(stored.row);
      searches.push(...(await needlesIn(stored, options)));
    }
    searches.push(...(await meetingsIn(folder, options)));
    const checked = imports.flatMap((row) => row.sessions);
    return {
      suite: "sessions",
      question: "Are imported sessions whole, and does an agent find in them what was compacted away?",
      cases: checked.length + searches.reduce((sum, { asked }) => sum + asked, 0),
      passed: checked.length > 0 && checked.every(isWhole) && searches.every(holds),
      tables: [importTable(imports), searchTable(searches)],
      numbers: { imports, searches },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Sessions of one's own, in place of all others. */
const options = { from: text(undefined) };

function setsOf({ data, args, quick = false }: SuiteOptions, folder: string): readonly SessionSet[] {
  const { from } = readOptions(args, options);
  if (from !== undefined) return sessionsIn(from);
  const generated = generatedSet(join(folder, "generated"), quick ? 2 : 8);
  return [generated, ...(data === undefined ? [] : recordedSets(data))];
}

async function importSet(
  { name: set, files }: SessionSet,
  storage: string,
  { progress }: SuiteOptions,
): Promise<Stored> {
  const start = process.cpuUsage();
  const reports = await command<(Imported & { readonly file: string })[]>("import", ...files, storage);
  const { user, system } = process.cpuUsage(start);
  const checked = [];
  for (const [at, report] of reports.entries()) {
    progress(`${at}/${reports.length} comparing ${report.thread}`);
    checked.push(await checkImport(report.file, report, storage));
  }
  const bytes = reports.reduce((sum, { file }) => sum + statSync(file).size, 0);
  return { row: { set, sessions: checked, cpuSeconds: (user + system) / 1e6, bytes }, storage };
}

async function needlesIn(
  { row, storage }: Stored,
  { progress }: SuiteOptions,
): Promise<readonly SearchRow[]> {
  const client = await historyClient(storage, "");
  const answers: Answer[] = [];
  for (const [at, { thread }] of row.sessions.filter((one) => one.folds > 0).entries()) {
    progress(`${at}/${row.sessions.length} searching ${thread}`);
    for (const needle of await needlesOf(storage, thread)) {
      const { isHit, isShown } = await findNeedle(needle, client);
      answers.push({ at, found: [isHit, isShown] });
    }
  }
  await client.close();
  return searchRows(row.set, ["needle in the first three", "needle in their text"], answers);
}

async function meetingsIn(
  folder: string,
  { data, quick = false, args, progress }: SuiteOptions,
): Promise<readonly SearchRow[]> {
  if (readOptions(args, options).from !== undefined) return [];
  const recorded = readDialogues(data, quick ? 2 : Infinity);
  const dialogues = recorded ?? [1, 2].map((seed) => generateDialogue(seed, 6));
  const answers: Answer[] = [];
  for (const [at, dialogue] of dialogues.entries()) {
    const { name, files, questions } = meetingsOf(dialogue, join(folder, `meetings-${at}`));
    const storage = join(folder, `meetings-${at}.db`);
    await command("import", ...files, storage);
    const client = await historyClient(storage, "");
    progress(`${at}/${dialogues.length} asking about ${name}`);
    for (const question of questions) {
      const rank = await rankOf(question, name, client);
      answers.push({ at, found: [rank === 1, rank <= 5] });
    }
    await client.close();
  }
  const set = recorded === undefined ? "generated conversations" : "LoCoMo";
  return searchRows(set, ["meeting first", "meeting in the first five"], answers);
}

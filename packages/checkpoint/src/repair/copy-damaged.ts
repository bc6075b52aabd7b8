import { renameSync, rmSync } from "node:fs";
import { CheckpointError } from "../checkpoint-error.js";
import { backupFile } from "../drivers/backup-file.js";
import type { DamagedPart } from "../engine.js";
import { blobColumn, textOf } from "../engines/libsql/columns.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { createBundles, createFileTables } from "../engines/libsql/schema.js";
import { temporaryFor } from "../engines/libsql/temporary-copies.js";
import { salvageRows } from "./salvage-rows.js";

/** What is lost with rows of a table that nothing else counts; a lost row of the others is noticed where it is referred to. */
const losses: Readonly<Record<string, string>> = {
  spaces: "A part of the list of threads cannot be read: threads may be missing",
  files: "A part of the list of files cannot be read: archive files may be missing",
};

/**
 * Copies a SQLite file of which pages may be damaged to a new file: a snapshot, or where SQLite cannot write one whose pages are in
 * order, each row that can be read. Returns what may be missing without leaving another trace. The file itself stays unchanged.
 * Throws a CheckpointError "not-found", "conflict", or "corrupt" where not even the list of tables can be read.
 */
export function copyDamaged(from: string, to: string): readonly DamagedPart[] {
  if (isCopied(from, to)) return [];
  const source = new LibsqlDatabase(from, { readOnly: true });
  const temporary = temporaryFor(to);
  try {
    const lost = salvage(source, temporary);
    renameSync(temporary, to);
    return lost.flatMap((table) => {
      const loss = losses[table];
      return loss === undefined
        ? []
        : [{ threadId: "", error: new CheckpointError("corrupt", `${loss}. Compare it with a backup.`) }];
    });
  } finally {
    source.close();
    rmSync(temporary, { force: true });
  }
}

/** Returns whether a snapshot is written whose pages are in order. */
function isCopied(from: string, to: string): boolean {
  try {
    backupFile(from, to);
    if (hasWholePages(to)) return true;
  } catch (error) {
    if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
  }
  rmSync(to, { force: true });
  return false;
}

/** Copied pages keep the order of the damaged ones. Indexes do not count: they can be built anew. */
function hasWholePages(path: string): boolean {
  const copy = new LibsqlDatabase(path);
  try {
    copy.rebuildIndexes();
    return copy.faults().length === 0;
  } finally {
    copy.close();
  }
}

/** Returns the tables of which rows may be missing. */
function salvage(source: LibsqlDatabase, to: string): readonly string[] {
  const target = new LibsqlDatabase(to);
  try {
    const names = tablesOf(source);
    if (names.includes("chunks")) createFileTables(target);
    if (names.includes("bundles")) createBundles(target);
    const lost = tablesOf(target).filter((table) => !target.write(() => salvageRows(source, target, table)));
    countAnew(target);
    return lost;
  } finally {
    target.close();
  }
}

function tablesOf(database: LibsqlDatabase): readonly string[] {
  const rows = database.all(`SELECT ${blobColumn("name")} FROM sqlite_master WHERE type = 'table'`);
  return rows.map(({ name }) => textOf(name));
}

/** Sets the row that counts threads and namespaces: a new thread must not get the id of one that is lost. */
function countAnew(target: LibsqlDatabase): void {
  const used = [
    "SELECT id FROM spaces",
    "SELECT space FROM checkpoints",
    "SELECT space FROM writes",
    "SELECT thread FROM owners",
  ];
  target.run(
    `INSERT OR REPLACE INTO spaces (thread, name, id, checkpoints)
     SELECT '', '', (SELECT max(id) FROM (${used.join(" UNION ALL ")})), (SELECT count(*) FROM spaces WHERE thread <> '')
     WHERE EXISTS (SELECT 1 FROM spaces)`,
  );
}

import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "libsql";
import { VfsSaver } from "../../src/index.js";
import { LibsqlDatabase } from "../../src/engines/libsql/libsql-database.js";
import { fileStorage, type FileKind } from "./file-storage.js";
import { memoryStorage } from "./memory-storage.js";
import type { Storage } from "./storage.js";

/** A saver with one kind of channel. */
export interface Rival {
  readonly name: string;
  readonly isDelta: boolean;
  readonly isOurs: boolean;
  readonly create: () => Storage;
}

const vfsFile: FileKind = { open: (path) => VfsSaver.fromPath(path), id: "id" };
const sqliteFile: FileKind = { open: sqliteSaver, id: "checkpoint_id" };

const savers: readonly Omit<Rival, "isDelta">[] = [
  { name: "MemorySaver", isOurs: false, create: () => memoryStorage() },
  { name: "SqliteSaver", isOurs: false, create: () => fileStorage(sqliteFile) },
  { name: "VfsSaver", isOurs: true, create: () => fileStorage(vfsFile) },
];

/** Each saver with plain channels and with delta channels, with its own serializer. */
export const rivals: readonly Rival[] = [false, true].flatMap((isDelta) =>
  savers.map((saver) => ({ ...saver, isDelta, name: isDelta ? `${saver.name}, delta` : saver.name })),
);

function sqliteSaver(path: string): SqliteSaver & { close: () => unknown } {
  const database = sqliteDatabase(path);
  return Object.assign(new SqliteSaver(database), { close: () => database.close() });
}

/** With the durability that VfsSaver has by default: LangGraph leaves it to whoever opens the file. */
function sqliteDatabase(path: string): Database.Database {
  const database = new Database(path);
  database.pragma("synchronous = NORMAL");
  return database;
}

/** How the connections to the two kinds of file are set, as they say. */
export function settings(): Readonly<Record<string, string>> {
  const ours = new LibsqlDatabase(":memory:");
  const theirs = sqliteDatabase(":memory:");
  try {
    const [mode] = theirs.pragma("synchronous") as { readonly synchronous: number }[];
    return {
      SqliteSaver: `synchronous = ${mode?.synchronous}`,
      VfsSaver: `synchronous = ${Number(ours.get("PRAGMA synchronous")?.["synchronous"])}`,
    };
  } finally {
    ours.close();
    theirs.close();
  }
}

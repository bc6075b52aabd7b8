import { CheckpointError } from "../../checkpoint-error.js";
import type { FileDriver } from "@palimpsest/vfs";
import type { ThreadIndex } from "../saver-options.js";
import type { Engine } from "../../engine.js";

interface Scrubbable {
  scrub?(): Promise<void>;
}

export interface ScrubbedStorage {
  readonly engine: Engine;
  readonly files: { readonly storedDriver: FileDriver };
  readonly index: ThreadIndex | undefined;
}

/** Removes the bytes of deleted rows from the files of databases. Returns what is left to the operator, as sentences. */
export async function scrubStorage({ engine, files, index }: ScrubbedStorage): Promise<readonly string[]> {
  const left: string[] = [];
  const driver: FileDriver & Scrubbable = files.storedDriver;
  // A SQLite file that holds checkpoints and files is written anew once.
  const parts: readonly (Scrubbable | undefined)[] =
    engine.name === "libsql" && driver.name === "libsql" ? [engine, index] : [engine, driver, index];
  for (const part of parts) {
    try {
      await part?.scrub?.();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      left.push(
        CheckpointError.isInstance(error) ? error.message : `Deleted bytes are left: ${error.message}`,
      );
    }
  }
  return [...left, ...known(engine, driver), elsewhere];
}

const elsewhere = "Backups, exports and replicas of this storage keep what they hold: erase there too.";

function known(engine: Engine, driver: FileDriver): readonly string[] {
  const names = new Set([engine.name, driver.name]);
  return [
    ...(names.has("postgres") || engine.name === "PostgresSaver"
      ? [
          "The write-ahead log of Postgres keeps deleted rows until its files are used again: run CHECKPOINT and pg_switch_wal(), with wal_recycle off.",
        ]
      : []),
    ...(names.has("s3")
      ? ["A bucket with versions keeps deleted objects as old versions: delete those, or let them expire."]
      : []),
    ...(wrapped(engine)
      ? [`The database of the wrapped ${engine.name} may keep the bytes of deleted rows: vacuum it.`]
      : []),
  ];
}

/** True for a saver of another package, whose storage is not known here. One in memory has none. */
function wrapped({ name }: Engine): boolean {
  return name !== "libsql" && name !== "postgres" && name !== "MemorySaver";
}

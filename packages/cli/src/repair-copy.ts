import type { BaseMessage } from "@langchain/core/messages";
import { repairFile, VfsSaver, type ArchiveFormat, type RestoredPart } from "@palimpsest/checkpoint";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import { messagesOfRecord } from "@palimpsest/context/internal";
import { CliError } from "./cli-error.js";
import { isPostgres } from "./open-storage.js";

/** Copies a SQLite file and restores on the copy what else it holds of its damaged parts. The file itself stays as it is. */
export async function repairCopy(storage: string, copy: string): Promise<readonly RestoredPart[]> {
  if (isPostgres(storage))
    throw new CliError("--repair takes a SQLite file. Copy the threads into one with export --saver.");
  VfsSaver.backup(storage, copy);
  return repairFile(copy, { messagesIn, filesFrom });
}

const messagesIn: ArchiveFormat["messagesIn"] = (path, content) => {
  if (!path.endsWith(".jsonl")) return [];
  try {
    return messagesOfRecord(Buffer.from(content).toString(), path);
  } catch {
    // A file of another writer has the same ending.
    return [];
  }
};

/** A record holds the messages that its fold covers, one stored message on each line, under the digest of its content. */
function* filesFrom(messages: readonly BaseMessage[]): Generator<readonly [path: string, content: string]> {
  const versions = new Map<string, Set<string>>();
  for (const message of messages) {
    if (message.id === undefined) continue;
    const known = versions.get(message.id) ?? new Set();
    versions.set(message.id, known.add(`${JSON.stringify(toStoredMessage(message))}\n`));
  }
  const done = new Set<string>();
  for (const { record, covers } of messages.flatMap((message) => foldOf(message) ?? [])) {
    if (record === undefined || done.has(record)) continue;
    done.add(record);
    const lines = covers.map((id) => [...(versions.get(id) ?? [])]);
    if (lines.some(({ length }) => length === 0)) continue;
    // A message that was folded or changed later has several versions.
    for (const version of [0, -1]) yield [record, lines.map((one) => one.at(version)).join("")];
  }
}

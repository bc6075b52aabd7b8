import type { BaseMessage } from "@langchain/core/messages";
import { copyDamaged, repairStorage } from "@palimpsest/checkpoint";
import type { ArchiveFormat, DamagedPart, RestoredPart } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { messagesOfRecord, recordText } from "@palimpsest/context/internal";
import { copyStorage } from "../copy-storage.js";
import { isPostgres } from "../open-storage.js";

export interface RepairCopyOptions {
  readonly storage: string;
  /** Where the copy is written. */
  readonly copy: string;
  /** A healthy backup, which is only read. */
  readonly from: string | undefined;
}

export interface RepairedCopy {
  readonly restored: readonly RestoredPart[];
  /** What may be missing in the copy without leaving another trace. */
  readonly lost: readonly DamagedPart[];
}

/**
 * Copies a storage and restores damaged parts of the copy from other parts of the storage and from the backup. The storage and
 * the backup stay unchanged.
 */
export async function repairCopy({ storage, copy, from }: RepairCopyOptions): Promise<RepairedCopy> {
  const lost = isPostgres(storage) ? [] : copyDamaged(storage, copy);
  if (isPostgres(storage)) await copyStorage(storage, copy);
  return { restored: await repairStorage(copy, { messagesIn, filesFrom, from }), lost };
}

const messagesIn: ArchiveFormat["messagesIn"] = (path, content) => {
  if (!path.endsWith(".jsonl")) return [];
  try {
    return messagesOfRecord(Buffer.from(content).toString(), path);
  } catch {
    // A file of another writer may have the same extension.
    return [];
  }
};

/** A record holds the messages that its fold covers, one stored message on each line, under the digest of its content. */
function* filesFrom(messages: readonly BaseMessage[]): Generator<readonly [path: string, content: string]> {
  const versions = new Map<string, Set<string>>();
  for (const message of messages) {
    if (message.id === undefined) continue;
    const known = versions.get(message.id) ?? new Set();
    versions.set(message.id, known.add(recordText([message])));
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

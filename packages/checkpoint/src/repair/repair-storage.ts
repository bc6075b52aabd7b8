import type { BaseMessage } from "@langchain/core/messages";
import { VirtualFilesystem } from "@palimpsest/vfs";
import {
  blobPath,
  blobsDirectory,
  digestInName,
  isEncrypted,
  ThreadKeys,
  threadDirectory,
} from "@palimpsest/vfs/internal";
import { hash } from "node:crypto";
import { checkThread } from "../collection/check-thread.js";
import { messageFrom, messageParts } from "../codec/message.js";
import { idIn, kindOf } from "../codec/reference.js";
import type { DamagedPart, Engine } from "../engine.js";
import { BackupSource, type BackupStorage } from "./backup-source.js";
import { onFileError, pathsOf } from "./file-damage.js";
import { LostParts } from "./lost-parts.js";
import type { RestoredPart } from "./lost-parts.js";
import { withTarget } from "./open-target.js";
import { rebuildLists } from "./rebuild-lists.js";
import type { RepairTarget } from "./repair-target.js";

/** The format of archive files, which belongs to their writer. */
export interface ArchiveFormat {
  /** Returns the messages of an archive file; none for a file without. */
  readonly messagesIn: (path: string, content: Uint8Array) => readonly BaseMessage[];
  /** Yields the path and the content of every archive file that these messages allow to write again. */
  readonly filesFrom: (
    messages: readonly BaseMessage[],
  ) => Iterable<readonly [path: string, content: string]>;
}

export interface RepairOptions extends ArchiveFormat {
  /**
   * A healthy copy, such as a backup: the path of a SQLite file or the url of a Postgres database. It is only read. @default
   * none
   */
  readonly from?: string | undefined;
}

/**
 * Restores damaged or missing parts of a SQLite file or a Postgres database from its other parts: values of a damaged bundle,
 * archive files, messages, and checkpoints with their writes. From these it writes only bytes with the digest of the lost part.
 * With `from`, it also restores from that copy: rows of checkpoints and of their writes by their ids, and files of the archive
 * by their paths, none of which change once they are written. Needs no key of an encrypted storage, and restores its parts only from
 * that copy. Call it on a copy of the storage, and verify that copy
 * afterwards: parts that could not be restored are still damaged.
 */
export async function repairStorage(
  storage: string,
  { from, ...format }: RepairOptions,
): Promise<readonly RestoredPart[]> {
  return withTarget(storage, { readOnly: false }, async (target) => {
    if (from === undefined) return new StorageRepair({ target, format }).run();
    return withTarget(from, { readOnly: true }, async (backup) =>
      new StorageRepair({ target, format, backup }).run(),
    );
  });
}

interface StorageRepairOptions {
  readonly target: RepairTarget;
  readonly format: ArchiveFormat;
  readonly backup?: BackupStorage;
}

class StorageRepair {
  readonly #target: RepairTarget;
  readonly #format: ArchiveFormat;
  readonly #engine: Engine;
  readonly #files: VirtualFilesystem;
  readonly #lost: LostParts;
  readonly #backup: BackupSource | undefined;

  constructor({ target, format, backup }: StorageRepairOptions) {
    this.#target = target;
    this.#format = format;
    this.#engine = target.engine;
    this.#files = new VirtualFilesystem({ driver: target.driver });
    this.#lost = new LostParts(target);
    this.#backup = backup && new BackupSource({ backup, target, lost: this.#lost });
  }

  /** Repeats until a round restores nothing new, because each restored part makes others readable. */
  async run(): Promise<readonly RestoredPart[]> {
    const lost = this.#lost;
    this.#target.rebuildIndexes();
    const threads = await this.#engine.threads(ignore);
    for (let before = -1; before < lost.restored.length;) {
      before = lost.restored.length;
      for (const threadId of threads) await this.#repairKeys(threadId);
      for (const threadId of threads) await this.#findLost(threadId);
      await this.#backup?.offer(threads);
      if (!lost.isEmpty) for await (const bytes of this.#target.salvage()) lost.offer(bytes, "its bundle");
      for (const threadId of threads) await this.#offerAll(threadId);
      await lost.restore();
    }
    return lost.restored;
  }

  /** Each key has a copy. */
  async #repairKeys(threadId: string): Promise<void> {
    const keys = new ThreadKeys(this.#target.driver, threadDirectory(threadId));
    for (const path of await keys.repair())
      this.#lost.note({ threadId, what: `key ${path}`, from: "its copy" });
  }

  async #findLost(threadId: string): Promise<void> {
    const onDamage = ({ digest, id }: DamagedPart): void => {
      if (digest !== undefined) this.#lost.addValue(digest, threadId);
      else if (id !== undefined) this.#lost.addRow(threadId, id);
    };
    const { files } = await checkThread(this.#engine, threadId, { onDamage });
    for (const digest of files.keys()) {
      const path = `${blobsDirectory}${blobPath(digest)}`;
      const what = `workspace content ${digest}`;
      await onFileError(
        async () => this.#files.blobs.get(digest),
        () => this.#lost.addFile({ threadId, what, path, digest }),
      );
    }
    const archive = this.#files.archive(threadId);
    for await (const path of pathsOf(archive)) {
      await onFileError(
        async () => archive.readBytes(path),
        () => this.#addArchiveFile(threadId, path),
      );
    }
  }

  #addArchiveFile(threadId: string, name: string): void {
    const path = `${threadDirectory(threadId)}${name}`;
    this.#lost.addFile({ threadId, what: `archive file ${name}`, path, digest: digestInName(name) ?? "" });
  }

  /** Offers everything that a thread holds. */
  async #offerAll(threadId: string): Promise<void> {
    const messages: BaseMessage[] = [];
    const place = `the thread ${JSON.stringify(threadId)}`;
    await checkThread(this.#engine, threadId, {
      onDamage: ignore,
      onValue: (reference, { text, bytes }) => {
        this.#lost.offer(bytes, `a value of ${place}`);
        if (kindOf(reference) === "m" && !isEncrypted(bytes))
          messages.push(messageFrom({ text, id: idIn(reference) }));
      },
    });
    const archive = this.#files.archive(threadId);
    for await (const path of pathsOf(archive)) {
      const bytes = await onFileError(async () => archive.readBytes(path), ignore);
      if (bytes === undefined) continue;
      this.#lost.offer(bytes, `${path} of ${place}`);
      for (const message of this.#format.messagesIn(path, bytes)) {
        messages.push(message);
        const stored = messageParts(message);
        if (stored) this.#lost.offer(stored.bytes, `${path} of ${place}`);
      }
    }
    for (const message of messages) {
      for (const text of textsIn([
        message.content,
        message.additional_kwargs,
        Reflect.get(message, "tool_calls"),
      ]))
        this.#lost.offer(text, `a message of ${place}`);
    }
    await this.#offerFiles(threadId, messages);
    const rebuilt = rebuildLists(this.#engine, threadId, (digest) => this.#lost.hasValue(digest));
    for await (const [bytes, id] of rebuilt)
      this.#lost.offer(bytes, `the checkpoint ${id} of ${place} and its writes`);
  }

  /** Missing archive files are known only by the folds of messages. */
  async #offerFiles(threadId: string, messages: readonly BaseMessage[]): Promise<void> {
    const archive = this.#files.archive(threadId);
    for (const [path, content] of this.#format.filesFrom(messages)) {
      const digest = digestInName(path);
      if (digest === undefined || !hash("sha256", content).startsWith(digest)) continue;
      const isThere = await onFileError(async () => archive.has(path), ignore);
      if (isThere === false) this.#addArchiveFile(threadId, path);
      this.#lost.offer(content, `messages of the thread ${JSON.stringify(threadId)}`);
    }
  }
}

function ignore(): void {
  // The damage was already recorded when the lost parts were found.
}

/** Yields every text in a value that is JSON. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* textsIn(part);
}

import { VirtualFilesystem } from "@palimpsest/vfs";
import { digestInName, encryptedDirectory, ThreadKeys, threadDirectory } from "@palimpsest/vfs/internal";
import { isDamage, readableBlobs } from "../collection/readable-blobs.js";
import type { StoredTuple } from "../engine.js";
import { byTask } from "../collection/copy-checkpoints.js";
import { onFileError, pathsOf } from "./file-damage.js";
import type { LostFile, LostParts } from "./lost-parts.js";
import type { RepairTarget } from "./repair-target.js";

/** A storage that is only read. */
export type BackupStorage = Pick<RepairTarget, "engine" | "driver">;

interface BackupSourceOptions {
  readonly backup: BackupStorage;
  readonly target: RepairTarget;
  readonly lost: LostParts;
}

const from = "the backup";

/** Offers lost parts from a backup. A part that is damaged in the backup as well stays lost. */
export class BackupSource {
  readonly #backup: BackupStorage;
  readonly #target: RepairTarget;
  readonly #lost: LostParts;
  /** Rows that were written from the backup, or that it lacks. Each is looked up once. */
  readonly #tried = new Set<string>();

  constructor({ backup, target, lost }: BackupSourceOptions) {
    this.#backup = backup;
    this.#target = target;
    this.#lost = lost;
  }

  async offer(threadIds: readonly string[]): Promise<void> {
    for (const threadId of threadIds) {
      await this.#restoreRows(threadId);
      await this.#restoreKeys(threadId);
      await this.#restoreEncrypted(threadId);
      const read = { engine: this.#backup.engine, threadId, report: ignore };
      for await (const [, { bytes }] of readableBlobs(read, this.#lost.valuesOf(threadId)))
        this.#lost.offer(bytes, from);
      await this.#findMissingFiles(threadId);
    }
    for (const file of this.#lost.files) await this.#offerFile(file);
  }

  /** A thread without a readable key gets those of the backup. */
  async #restoreKeys(threadId: string): Promise<void> {
    const [here, there] = [this.#target, this.#backup].map(
      ({ driver }) => new ThreadKeys(driver, threadDirectory(threadId)),
    );
    if (!here || !there || (await here.read()).keys.length > 0) return;
    for (const key of (await there.read()).keys) {
      await here.store(key);
      this.#lost.note({ threadId, what: "key", from });
    }
  }

  /** Encrypted files are copied as they are: without their key nothing else tells what they hold. */
  async #restoreEncrypted(threadId: string): Promise<void> {
    const [here, there] = [this.#target.driver, this.#backup.driver];
    for await (const { path } of there.list(encryptedDirectory + threadDirectory(threadId))) {
      if ((await onFileError(async () => here.read(path), ignore)) !== undefined) continue;
      const bytes = await onFileError(async () => there.read(path), ignore);
      if (bytes === undefined) continue;
      await this.#target.deleteFile(path);
      await here.write(path, bytes);
      this.#lost.note({ threadId, what: `encrypted file ${path}`, from });
    }
  }

  async #restoreRows(threadId: string): Promise<void> {
    const keyOf = (id: string): string => JSON.stringify([threadId, id]);
    const ids = [...this.#lost.rowsOf(threadId)].filter((id) => !this.#tried.has(keyOf(id)));
    if (ids.length === 0) return;
    for (const id of ids) this.#tried.add(keyOf(id));
    const intact = new Set<string>();
    for await (const { id } of this.#target.engine.listIntact(threadId, ignore)) intact.add(id);
    for await (const tuple of this.#backup.engine.listIntact(threadId, ignore)) {
      if (!ids.includes(tuple.id)) continue;
      if (!intact.has(tuple.id)) await this.#restoreCheckpoint(tuple);
      await this.#restoreWrites(tuple);
    }
  }

  async #restoreCheckpoint(tuple: StoredTuple): Promise<void> {
    const { threadId, id } = tuple;
    const checkpoint = { ...tuple, newVersions: {} };
    try {
      await this.#target.engine.commit({ threadId, epoch: undefined, blobs: new Map(), checkpoint });
      this.#lost.note({ threadId, what: `checkpoint ${id}`, from });
    } catch (error) {
      // The entry of the thread is damaged as well.
      if (!isDamage(error)) throw error;
    }
  }

  async #restoreWrites(tuple: StoredTuple): Promise<void> {
    const { threadId, namespace, id, writes } = tuple;
    const written = await this.#target.restoreWrites({ threadId, namespace, id }, byTask(writes));
    if (written > 0) this.#lost.note({ threadId, what: `writes at checkpoint ${id}`, from });
  }

  /** Finds files of the backup that the storage lacks: an archive only grows, so they are lost. */
  async #findMissingFiles(threadId: string): Promise<void> {
    const [here, there] = [this.#target, this.#backup].map(({ driver }) =>
      new VirtualFilesystem({ driver }).archive(threadId),
    );
    if (!here || !there) return;
    for await (const name of pathsOf(there)) {
      if ((await onFileError(async () => here.has(name), ignore)) !== false) continue;
      const path = `${threadDirectory(threadId)}${name}`;
      const digest = digestInName(name) ?? "";
      this.#lost.addFile({ threadId, what: `archive file ${name}`, path, digest });
    }
  }

  async #offerFile(file: LostFile): Promise<void> {
    const bytes = await onFileError(async () => this.#backup.driver.read(file.path), ignore);
    if (bytes === undefined) return;
    if (file.digest === "") await this.#lost.restoreFile(file, { bytes, from });
    else this.#lost.offer(bytes, from);
  }
}

function ignore(): void {
  // A part that is damaged in the backup too cannot be restored from it.
}

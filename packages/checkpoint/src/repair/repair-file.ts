import type { BaseMessage } from "@langchain/core/messages";
import { FileError, VirtualFilesystem, type Archive } from "@palimpsest/vfs";
import { blobPath, blobsDirectory, digestInName, threadDirectory } from "@palimpsest/vfs/internal";
import { hash } from "node:crypto";
import { checkThread } from "../collection/check-thread.js";
import { messageFrom, messageParts } from "../codec/message.js";
import { idIn, kindOf } from "../codec/reference.js";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { LostParts } from "./lost-parts.js";
import type { RestoredPart } from "./lost-parts.js";
import { rebuildLists } from "./rebuild-lists.js";
import { salvageBundles } from "./salvage-bundles.js";

/** What archive files hold: their format belongs to whoever writes them. */
export interface ArchiveFormat {
  /** Returns the messages of an archive file; none for a file without. */
  readonly messagesIn: (path: string, content: Uint8Array) => readonly BaseMessage[];
  /** Yields the path and the content of every archive file that these messages allow to write again. */
  readonly filesFrom: (
    messages: readonly BaseMessage[],
  ) => Iterable<readonly [path: string, content: string]>;
}

/**
 * Restores what is damaged or missing in a SQLite file from what else the file holds: other values of a damaged bundle, archive
 * files, messages, and checkpoints with their writes. Writes nothing but bytes that have the digest of the part. Call it on a
 * copy, and verify that afterwards: what was not restored is damaged as before.
 */
export async function repairFile(path: string, format: ArchiveFormat): Promise<readonly RestoredPart[]> {
  const database = new LibsqlDatabase(path);
  try {
    return await new FileRepair(database, format).run();
  } finally {
    database.close();
  }
}

class FileRepair {
  readonly #database: LibsqlDatabase;
  readonly #format: ArchiveFormat;
  readonly #engine: LibsqlEngine;
  readonly #files: VirtualFilesystem;
  readonly #lost: LostParts;

  constructor(database: LibsqlDatabase, format: ArchiveFormat) {
    this.#database = database;
    this.#format = format;
    this.#engine = new LibsqlEngine(database);
    this.#files = new VirtualFilesystem({ driver: new LibsqlDriver(database) });
    this.#lost = new LostParts(database);
  }

  /** What is restored makes more readable: repeats until a round restores nothing. */
  async run(): Promise<readonly RestoredPart[]> {
    const lost = this.#lost;
    const threads = await this.#engine.threads(ignore);
    for (let before = -1; before < lost.restored.length;) {
      before = lost.restored.length;
      for (const threadId of threads) await this.#findLost(threadId);
      if (!lost.isEmpty)
        for await (const bytes of salvageBundles(this.#database)) lost.offer(bytes, "its damaged bundle");
      for (const threadId of threads) await this.#offerAll(threadId);
      await lost.restore();
    }
    return lost.restored;
  }

  async #findLost(threadId: string): Promise<void> {
    const onDamage = ({ digest }: { readonly digest?: string }): void => {
      if (digest !== undefined) this.#lost.addValue(digest, threadId);
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
    const digest = digestInName(name);
    const path = `${threadDirectory(threadId)}${name}`;
    if (digest !== undefined) this.#lost.addFile({ threadId, what: `archive file ${name}`, path, digest });
  }

  /** Offers everything that a thread holds. */
  async #offerAll(threadId: string): Promise<void> {
    const messages: BaseMessage[] = [];
    const place = `the thread ${JSON.stringify(threadId)}`;
    await checkThread(this.#engine, threadId, {
      onDamage: ignore,
      onValue: (reference, { text, bytes }) => {
        this.#lost.offer(bytes, `a value of ${place}`);
        if (kindOf(reference) === "m") messages.push(messageFrom({ text, id: idIn(reference) }));
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

  /** Archive files that are gone are known by the folds of messages only. */
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
  // The damage was noted when the lost parts were found.
}

async function onFileError<T>(read: () => Promise<T>, then: () => void): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!FileError.isInstance(error)) throw error;
    then();
    return undefined;
  }
}

async function* pathsOf(archive: Archive): AsyncGenerator<string> {
  for await (const paths of archive.listPaths()) yield* paths;
}

/** Yields every text in a value that is JSON. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* textsIn(part);
}

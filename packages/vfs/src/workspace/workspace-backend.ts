import type { FileInfo, LsResult, ReadBytesResult, ReadResult } from "../backend.js";
import { DriverBackend } from "../backends/driver-backend.js";
import type { BlobStore } from "../blob-store.js";
import type { ByteRange } from "../drivers/file-driver.js";
import { normalizePath } from "../paths.js";
import type { Files, FilesUpdate } from "./files.js";
import { WorkspaceDriver } from "./workspace-driver.js";
import type { WorkspaceDriverOptions } from "./workspace-driver.js";

export type WorkspaceBackendOptions = WorkspaceDriverOptions;

/**
 * The agent's own files: a snapshot of the `files` channel, with the bytes in blobs. Reads see earlier writes of this
 * instance; `changes` is the update to return to the graph. Reads and listings have a `note` for a file with a conflict.
 */
export class WorkspaceBackend extends DriverBackend {
  readonly #driver: WorkspaceDriver;

  constructor(blobs: BlobStore, entries: Files = {}, options: WorkspaceBackendOptions = {}) {
    const driver = new WorkspaceDriver(blobs, entries, options);
    super(driver);
    this.#driver = driver;
  }

  /** The changes of this instance, as an update of the `files` channel. */
  get changes(): FilesUpdate {
    return this.#driver.changes;
  }

  override async ls(path: string): Promise<LsResult> {
    const result = await super.ls(path);
    const notes = this.#notes();
    const withNote = (info: FileInfo): FileInfo => ({ ...info, ...note(notes.get(info.path)) });
    return result.files ? { ...result, files: result.files.map(withNote) } : result;
  }

  override async read(filePath: string, offset?: number, limit?: number): Promise<ReadResult> {
    const result = await super.read(filePath, offset, limit);
    return result.error === undefined ? { ...result, ...note(this.#noteFor(filePath), result.note) } : result;
  }

  override async readBytes(filePath: string, range: ByteRange): Promise<ReadBytesResult> {
    const result = await super.readBytes(filePath, range);
    return result.error === undefined ? { ...result, ...note(this.#noteFor(filePath)) } : result;
  }

  #noteFor(path: string): string | undefined {
    return this.#notes().get(normalizePath(path));
  }

  /** Returns a note by path, for each file with a conflict copy and for each copy. */
  #notes(): Map<string, string> {
    const notes = new Map<string, string>();
    for (const [copy, { conflictOf: path }] of this.#driver.entries()) {
      if (path === undefined) continue;
      const wayOut = `Copy what you need into ${path}, then delete ${copy}.`;
      const known = notes.get(path) ?? `Two writers changed ${path} at once.`;
      notes.set(path, `${known} Another version of ${path} is at ${copy}. ${wayOut}`);
      notes.set(copy, `This is another version of ${path}, written at the same time. ${wayOut}`);
    }
    return notes;
  }
}

function note(...notes: readonly (string | undefined)[]): { note?: string } {
  const text = notes.filter((part) => part !== undefined).join(" ");
  return text === "" ? {} : { note: text };
}

import type {
  Backend,
  DeleteResult,
  EditResult,
  FileDownloadResponse,
  FileUploadResponse,
  GlobResult,
  GrepOptions,
  GrepResult,
  LsResult,
  ReadBytesResult,
  ReadRawResult,
  ReadResult,
  SearchOptions,
  WriteResult,
} from "../backend.js";
import { DirectoryDriver } from "../drivers/directory-driver.js";
import type { ByteRange, DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { scopeDriver } from "../drivers/scope-driver.js";
import { attempt, FileError, operationError } from "../errors.js";
import { normalizePath } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { findFile, listDirectory, readWhole } from "../reading/find-files.js";
import { pageBytes, readPage, readRaw } from "../reading/read-page.js";
import { encodeText } from "../reading/utf8.js";
import { globFiles } from "../search/glob.js";
import { grepFiles } from "../search/grep-files.js";
import { deleteFiles, editFile, writeFile } from "./change-files.js";

export interface DriverBackendOptions {
  /** The directory of the driver that this backend shows as `/`. @default "/" */
  readonly root?: string;
  /** Refuses every change. A string gives the reason and what to do instead. @default false */
  readonly readOnly?: boolean | string;
}

/** All verbs over any driver. Each verb normalizes its path once. No method throws: `error` says what to do next. */
export class DriverBackend implements Backend {
  readonly #driver: FileDriver;
  readonly #readOnly: string | undefined;

  constructor(driver: FileDriver, { root = "/", readOnly = false }: DriverBackendOptions = {}) {
    this.#driver = scopeDriver(driver, root);
    const reason = "this backend refuses every change. Write to another path.";
    this.#readOnly = typeof readOnly === "string" ? readOnly : readOnly ? reason : undefined;
  }

  async ls(path: string): Promise<LsResult> {
    return attempt(async () => ({ files: await listDirectory(this.#driver, normalizePath(path)) }));
  }

  async read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    return attempt(async () => readPage(this.#driver, await this.#find(filePath), { offset, limit }));
  }

  async readBytes(filePath: string, range: ByteRange): Promise<ReadBytesResult> {
    return attempt<ReadBytesResult>(async () => pageBytes(this.#driver, await this.#find(filePath), range));
  }

  async readRaw(filePath: string): Promise<ReadRawResult> {
    return attempt(async () => readRaw(this.#driver, await this.#find(filePath)));
  }

  async write(filePath: string, content: string): Promise<WriteResult> {
    return attempt(async () => {
      const path = this.#writable(filePath);
      return { path: await writeFile(this.#driver, path, encodeText(content, path)) };
    });
  }

  // oxlint-disable-next-line max-params -- the signature of the protocol
  async edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
  ): Promise<EditResult> {
    return attempt(async () =>
      editFile(this.#driver, this.#writable(filePath), { oldString, newString, replaceAll }),
    );
  }

  async glob(pattern: string, path = "/", options: SearchOptions = {}): Promise<GlobResult> {
    return attempt(
      async () => globFiles(this.#driver, pattern, { ...options, path: normalizePath(path) }),
      options.signal,
    );
  }

  // oxlint-disable-next-line max-params -- the signature of the protocol
  async grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
    options: GrepOptions = {},
  ): Promise<GrepResult> {
    return attempt(
      async () =>
        grepFiles(this.#driver, pattern, { ...options, path: normalizePath(path ?? "/"), glob, maxCount }),
      options.signal,
    );
  }

  async delete(filePath: string): Promise<DeleteResult> {
    return attempt(async () => ({ path: await deleteFiles(this.#driver, this.#writable(filePath)) }));
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    return Promise.all(
      files.map(async ([path, bytes]) => {
        const failed = await this.#upload(path, bytes).then(() => null, operationError);
        return { path, error: failed };
      }),
    );
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    return Promise.all(
      paths.map(async (path) =>
        this.#download(path).then(
          (content): FileDownloadResponse => ({ path, content, error: null }),
          (error: unknown) => ({ path, content: null, error: operationError(error) }),
        ),
      ),
    );
  }

  async #upload(path: string, bytes: Uint8Array): Promise<void> {
    await writeFile(this.#driver, this.#writable(path), bytes);
  }

  async #download(path: string): Promise<Uint8Array> {
    const entry = await this.#find(path);
    return readWhole(this.#driver, entry.path);
  }

  async #find(path: string): Promise<DriverEntry> {
    return findFile(this.#driver, normalizePath(path));
  }

  #writable(path: string): NormalPath {
    const normal = normalizePath(path);
    if (this.#readOnly === undefined) return normal;
    throw new FileError("read-only", `${normal} is read-only: ${this.#readOnly}`);
  }
}

/** A backend over files in the memory of this process. */
export class MemoryBackend extends DriverBackend {
  constructor() {
    super(new MemoryDriver());
  }
}

/** A backend that shows a directory on disk as `/`. Throws a FileError "unwritable" when it cannot write there. */
export class DirectoryBackend extends DriverBackend {
  constructor(directory: string) {
    super(new DirectoryDriver(directory));
  }
}

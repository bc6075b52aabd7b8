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
  MaybePromise,
  ReadBytesResult,
  ReadRawResult,
  ReadResult,
  SearchOptions,
  WriteResult,
} from "../backend.js";
import type { ByteRange } from "../drivers/file-driver.js";
import { attempt, FileError, operationError } from "../errors.js";
import { normalizePath } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { mimeType } from "../reading/mime-type.js";
import { grepMounts } from "./grep-mounts.js";
import { mountError, MountTable } from "./mount-table.js";
import { isBackend } from "./mountable-backend.js";
import type { MountableBackend } from "./mountable-backend.js";
import { globMounts, listMounts } from "./search-mounts.js";

/**
 * One tree of several backends. A path goes to the mount with the longest matching prefix, or else to the fallback.
 * Mounts may be deepagents' backends. A missing method or an error of a mount is returned as `error`.
 */
export class CompositeBackend implements Backend {
  readonly #table: MountTable;

  /** Throws a FileError "invalid-path" for a mount at `/`, for two mounts at one path, and for the names `.` and `..`. */
  constructor(fallback: MountableBackend, mounts: Readonly<Record<string, MountableBackend>> = {}) {
    this.#table = new MountTable(fallback, mounts);
  }

  async ls(path: string): Promise<LsResult> {
    return attempt(async () => listMounts(this.#table, normalizePath(path)));
  }

  async read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    return this.#forward<ReadResult>(filePath, (backend, inner) => backend.read(inner, offset, limit));
  }

  async readBytes(filePath: string, range: ByteRange): Promise<ReadBytesResult> {
    return this.#forward<ReadBytesResult>(filePath, (backend, inner) =>
      isBackend(backend)
        ? backend.readBytes(inner, range)
        : { error: `${inner} is in a mount that does not support reading by bytes. Read it by lines.` },
    );
  }

  async readRaw(filePath: string): Promise<ReadRawResult> {
    return this.#forward<ReadRawResult>(filePath, async (backend, inner) => {
      const { data, ...result } = await backend.readRaw(inner);
      if (!data) return result;
      const content = Array.isArray(data.content) ? data.content.join("\n") : data.content;
      return { ...result, data: { mimeType: mimeType(inner), ...data, content } };
    });
  }

  async write(filePath: string, content: string): Promise<WriteResult> {
    return this.#forward<WriteResult>(filePath, (backend, inner) => backend.write(inner, content));
  }

  // oxlint-disable-next-line max-params -- the signature of the protocol
  async edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
  ): Promise<EditResult> {
    return this.#forward<EditResult>(filePath, (backend, inner) =>
      backend.edit(inner, oldString, newString, replaceAll),
    );
  }

  async glob(pattern: string, path = "/", options: SearchOptions = {}): Promise<GlobResult> {
    return attempt(
      async () => globMounts(this.#table, pattern, { ...options, path: normalizePath(path) }),
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
        grepMounts(this.#table, pattern, { ...options, path: normalizePath(path ?? "/"), glob, maxCount }),
      options.signal,
    );
  }

  /** Refuses to delete a mount or a directory that contains one. */
  async delete(filePath: string): Promise<DeleteResult> {
    return this.#forward<DeleteResult>(filePath, (backend, inner, path) => {
      if (inner === "/" || this.#table.below(path).length > 0) {
        throw new FileError("invalid-path", `${path} is or contains a mount. Delete files below it.`);
      }
      return (
        backend.delete?.(inner) ?? { error: `${inner} is in a mount that does not support delete. Leave it.` }
      );
    });
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    return uploadToMounts(this.#table, files);
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    return downloadFromMounts(this.#table, paths);
  }

  async #forward<T extends { error?: string; path?: string }>(
    filePath: string,
    call: (backend: MountableBackend, inner: string, path: NormalPath) => MaybePromise<T>,
  ): Promise<T | { error: string }> {
    return attempt<T | { error: string }>(async () => {
      const path = normalizePath(filePath);
      const { mount, inner } = this.#table.route(path);
      const result = await call(mount.backend, inner, path);
      if (result.error !== undefined) return { ...result, error: mountError(result.error, inner, path) };
      return result.path === undefined ? result : { ...result, path };
    });
  }
}

/** Writes files through the mounts they belong to; one response for each, in order. Never throws. */
async function uploadToMounts(
  table: MountTable,
  files: readonly [string, Uint8Array][],
): Promise<FileUploadResponse[]> {
  return Promise.all(
    files.map(async ([path, bytes]) => {
      try {
        const { mount, inner } = table.route(normalizePath(path));
        const [response] = await (mount.backend.uploadFiles?.([[inner, bytes]]) ?? []);
        return { path, error: response === undefined ? "permission_denied" : response.error };
      } catch (error) {
        return { path, error: operationError(error) };
      }
    }),
  );
}

/** Reads files through the mounts they belong to; one response for each, in order. Never throws. */
async function downloadFromMounts(
  table: MountTable,
  paths: readonly string[],
): Promise<FileDownloadResponse[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        const { mount, inner } = table.route(normalizePath(path));
        const [response] = await (mount.backend.downloadFiles?.([inner]) ?? []);
        return response ? { ...response, path } : { path, content: null, error: "permission_denied" };
      } catch (error) {
        return { path, content: null, error: operationError(error) };
      }
    }),
  );
}

import type {
  Backend,
  DeleteResult,
  EditResult,
  FileData,
  FileDownloadResponse,
  FileUploadResponse,
  GlobResult,
  GrepResult,
  LsResult,
  MaybePromise,
  ReadResult,
  WriteResult,
} from "../backend.js";

/** File data in deepagents' older form: one string for each line. */
export interface FileLines {
  content: string[];
  created_at: string;
  modified_at: string;
}

/**
 * What a CompositeBackend accepts as a mount: a backend of this package, or any BackendProtocolV2 of deepagents, which may
 * return plain values and may lack the last three methods.
 */
export interface MountableBackend {
  ls(path: string): MaybePromise<LsResult>;
  read(filePath: string, offset?: number, limit?: number): MaybePromise<ReadResult>;
  readRaw(filePath: string): MaybePromise<{ error?: string; data?: FileData | FileLines }>;
  write(filePath: string, content: string): MaybePromise<WriteResult>;
  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll?: boolean,
  ): MaybePromise<EditResult>;
  glob(pattern: string, path?: string): MaybePromise<GlobResult>;
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): MaybePromise<GrepResult>;
  delete?(filePath: string): MaybePromise<DeleteResult>;
  uploadFiles?(files: [string, Uint8Array][]): MaybePromise<FileUploadResponse[]>;
  downloadFiles?(paths: string[]): MaybePromise<FileDownloadResponse[]>;
}

/** Returns true for a backend with this package's additions: `readBytes` and the options of `grep`. */
export function isBackend(backend: MountableBackend): backend is Backend {
  return "readBytes" in backend && typeof backend.readBytes === "function";
}

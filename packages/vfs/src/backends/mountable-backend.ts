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

/** File data in deepagents' older form: one string a line. */
export interface FileLines {
  content: string[];
  created_at: string;
  modified_at: string;
}

/**
 * What a CompositeBackend takes as a mount: one of ours, or any BackendProtocolV2 of deepagents, whose results may be
 * plain values and whose last three methods may be missing.
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

/** Returns true for a backend with this package's own verbs: `readBytes`, and the options of `grep`. */
export function isBackend(backend: MountableBackend): backend is Backend {
  return "readBytes" in backend && typeof backend.readBytes === "function";
}

import type { FileOperationError } from "./errors.js";
import type { ByteRange } from "./drivers/file-driver.js";

export type MaybePromise<T> = T | Promise<T>;

/** A file, or a directory whose path ends in `/`. */
export interface FileInfo {
  path: string;
  is_dir?: boolean;
  /** Bytes. */
  size?: number;
  /** ISO 8601. */
  modified_at?: string;
  /** A note for the reader of the listing, such as a conflict. */
  note?: string;
}

export interface LsResult {
  error?: string;
  files?: FileInfo[];
}

export interface GlobResult {
  error?: string;
  files?: FileInfo[];
  /** True when the search ended before it had seen all files. */
  truncated?: boolean;
  /** What the search left out, and why. */
  note?: string;
}

/** One page of lines with their line breaks. Consecutive pages concatenate to the file. */
export interface ReadResult {
  error?: string;
  /** Text, or all bytes of a binary file. */
  content?: string | Uint8Array;
  mimeType?: string;
  /** Absent when counting the lines would mean reading far past the page. */
  totalLines?: number;
  /** 1-based, inclusive. */
  startLine?: number;
  /** 1-based, inclusive. */
  endLine?: number;
  /** The `offset` of the next page; absent at the end of the file. */
  nextOffset?: number;
  note?: string;
}

/** The text of a byte range, cut between characters. Consecutive pages concatenate to the file. */
export interface ReadBytesResult {
  error?: string;
  content?: string;
  /** The bytes of `content`. The next page begins at `range.end`. */
  range?: ByteRange;
  /** Size of the whole file in bytes. */
  size?: number;
  note?: string;
}

export interface FileData {
  content: string | Uint8Array;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

export interface ReadRawResult {
  error?: string;
  data?: FileData;
}

export interface GrepMatch {
  path: string;
  /** 1-based. */
  line: number;
  /** The line. For a long line, the part around the match, with a note of how much is left out. */
  text: string;
  /** True for a context line, which does not match itself. */
  context?: boolean;
  /** For a long line: the byte range of the part shown, for `readBytes`. */
  range?: ByteRange;
}

/** How many matches a file has. */
export interface GrepCount {
  path: string;
  matches: number;
}

export interface GrepResult {
  error?: string;
  matches?: GrepMatch[];
  /** True when `maxCount` or the time limit cut the search short. `matches` holds what it had found. */
  truncated?: boolean;
  /** With `spread`: every file that matches, in the order of `matches`, including those that `maxCount` cut off. */
  counts?: GrepCount[];
  /** What the search left out, and why. */
  note?: string;
}

/** How long a search may go on. */
export interface SearchOptions {
  /** Ends the search: the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds that the search may compute. Waits for storage and for other searches do not count. After that, the search
   * returns the matches so far, with `truncated` and a `note`. @default 5000
   */
  readonly timeLimit?: number | undefined;
}

export interface GrepOptions extends SearchOptions {
  /**
   * Read the pattern as a regular expression (RE2 syntax, linear time, at most 2,000 characters and 1,000 instructions).
   * @default false
   */
  readonly regex?: boolean;
  /** @default false */
  readonly ignoreCase?: boolean;
  /** Lines of context before each match. @default 0 */
  readonly before?: number;
  /** Lines of context after each match. @default 0 */
  readonly after?: number;
  /** Characters. A longer line is cut to the part around the match. @default 1000 */
  readonly maxLineLength?: number;
  /**
   * With `maxCount`, takes matches in turns: the first of every file, then the second, and so on, so that a file with many
   * matches does not hide a file with one. Searches all files and returns the matches of each in `counts`.
   * @default false: the search ends at `maxCount`
   */
  readonly spread?: boolean;
}

export interface WriteResult {
  error?: string;
  path?: string;
}

export interface EditResult {
  error?: string;
  path?: string;
  occurrences?: number;
}

export interface DeleteResult {
  error?: string;
  path?: string;
}

export interface FileUploadResponse {
  path: string;
  error: FileOperationError | null;
}

export interface FileDownloadResponse {
  path: string;
  content: Uint8Array | null;
  error: FileOperationError | null;
}

/**
 * The verbs of an agent: deepagents' BackendProtocolV2, with `readBytes` and the options of `grep` added.
 * No method throws for bad input. It returns `error`, which names the wrong value and the way out. A search rejects with the
 * reason of its signal when that aborts.
 */
export interface Backend {
  /** Returns the files and directories directly in a directory, or the file itself. */
  ls(path: string): Promise<LsResult>;
  /** Returns a page of lines. `offset` is 0-based. @default offset 0, limit 500 */
  read(filePath: string, offset?: number, limit?: number): Promise<ReadResult>;
  /** Returns the text of a byte range, for files with lines longer than a page. */
  readBytes(filePath: string, range: ByteRange): Promise<ReadBytesResult>;
  /** Returns the whole file. */
  readRaw(filePath: string): Promise<ReadRawResult>;
  /** Creates or replaces a file. */
  write(filePath: string, content: string): Promise<WriteResult>;
  /** Replaces exact text, which must occur once unless `replaceAll` is true. */
  edit(filePath: string, oldString: string, newString: string, replaceAll?: boolean): Promise<EditResult>;
  /** Returns the files below `path` whose relative path matches. A pattern that begins with `/` matches the whole path. */
  glob(pattern: string, path?: string, options?: SearchOptions): Promise<GlobResult>;
  /**
   * Returns the lines that contain `pattern`, as plain text unless `options.regex` is true. `glob` filters files by name, or
   * by the path relative to `path` when it contains a `/`. Skips binary files. `maxCount` limits the matches.
   * @default no limit
   */
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
    options?: GrepOptions,
  ): Promise<GrepResult>;
  /** Deletes a file, or a directory with everything in it. */
  delete(filePath: string): Promise<DeleteResult>;
  /** Writes bytes unchanged. Returns one response for each file, in order. */
  uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]>;
  /** Reads bytes unchanged. Returns one response for each path, in order. */
  downloadFiles(paths: string[]): Promise<FileDownloadResponse[]>;
}

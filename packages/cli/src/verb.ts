import type { VfsSaver } from "@palimpsest/checkpoint";
import { UsageError } from "./cli-error.js";
import type { Secrets } from "./secrets.js";

/** The result of a verb: `data` for `--json`, `text` for people. */
export interface Report {
  readonly data: unknown;
  readonly text: string;
  /** Ends the command with exit code 1, as a finding of `verify` does. @default false */
  readonly isFailure?: boolean;
}

export interface VerbInput {
  readonly saver: VfsSaver;
  /** The path or url of the storage. */
  readonly target: string;
  /** Arguments after the storage, in order; one that is optional may be missing. */
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Secrets of the savers that write the storage, as given. */
  readonly secrets: Secrets;
  /** Reports progress. The user sees a line from time to time, and none for a short command. */
  readonly progress: (line: string) => void;
  /** Prints a line beside the report. */
  readonly notice: (line: string) => void;
  /** The terminal, for a page that is redrawn; undefined if the output is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

export interface Terminal {
  readonly write: (text: string) => void;
  readonly size: () => TerminalSize;
  readonly hasColors: boolean;
  /** Calls the listener for each key, until the returned function is called. @default the terminal sends no keys */
  readonly onKey?: ((listener: (key: string) => void) => () => void) | undefined;
}

/** Returns the columns of the terminal, which a table has to fit into; undefined if the output is not a terminal. */
export function columnsOf({ terminal }: Pick<VerbInput, "terminal">): {
  readonly columns: number | undefined;
} {
  return { columns: terminal?.size().columns };
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** One command. */
export interface Verb {
  readonly name: string;
  readonly description: string;
  /** In the notation of commander: `<needed>`, `[optional]`, `[several...]`. */
  readonly args: readonly string[];
  readonly options: readonly (readonly [flags: string, description: string, fallback?: string])[];
  /** Whether the storage is opened for writing; with "create" it is created if missing. @default false: read-only */
  readonly canWrite?: boolean | "create";
  /** A flag with which the storage is opened for writing. */
  readonly writesWith?: string;
  /** A flag with which it is opened read-only all the same. */
  readonly readsWith?: string;
  /** Returns the storage and the other arguments of a verb that also takes them in another order. */
  readonly arrange?: (target: string, args: VerbInput["args"]) => Promise<Pick<VerbInput, "target" | "args">>;
  /** Refuses arguments before the storage is opened, or created. */
  readonly check?: (args: VerbInput["args"]) => Promise<void>;
  readonly run: (input: VerbInput) => Promise<Report>;
}

/** One command on files, which needs no storage. */
export interface FileVerb extends Pick<Verb, "name" | "description" | "args" | "options"> {
  readonly run: (input: FileVerbInput) => Promise<Report>;
}

export type FileVerbInput = Pick<VerbInput, "args" | "options" | "progress" | "notice" | "terminal">;

/** Returns an option that counts something. Throws a UsageError for anything but a whole number of at least 1. */
export function countOption(options: VerbInput["options"], name: string): number {
  const count = Number(options[name]);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(
    `--${name} is ${String(options[name] ?? "missing")}. Pass a whole number of at least 1.`,
  );
}

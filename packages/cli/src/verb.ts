import type { VfsSaver } from "@palimpsest/checkpoint";

/** What a verb has found: `data` for `--json`, `text` for people. */
export interface Report {
  readonly data: unknown;
  readonly text: string;
  /** Ends the command with exit code 1, as a finding of `verify` does. @default false */
  readonly isFailure?: boolean;
}

export interface VerbInput {
  readonly saver: VfsSaver;
  /** What was given as storage. */
  readonly target: string;
  /** Arguments after the storage, in order; one that is optional may be missing. */
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Reports progress on something long, a line at a time. */
  readonly progress: (line: string) => void;
}

/** One command. */
export interface Verb {
  readonly name: string;
  readonly description: string;
  /** In the notation of commander: `<needed>`, `[optional]`, `[several...]`. */
  readonly args: readonly string[];
  readonly options: readonly (readonly [flags: string, description: string, fallback?: string])[];
  /** @default false: the storage is opened read-only */
  readonly canWrite?: boolean;
  readonly run: (input: VerbInput) => Promise<Report>;
}

import type { Backend, MaybePromise } from "../backend.js";

export interface TestBackendOptions {
  readonly name: string;
  /** Gives a backend that holds these files, by path, and nothing else. */
  readonly create: (files: Readonly<Record<string, string>>) => MaybePromise<Backend>;
  /** Every change is refused. @default false */
  readonly readOnly?: boolean;
  /** Runs of each property. @default 25 */
  readonly numRuns?: number;
}

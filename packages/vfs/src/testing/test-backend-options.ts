import type { Backend, MaybePromise } from "../backend.js";

export interface TestBackendOptions {
  readonly name: string;
  /** Returns a backend that contains exactly these files, by path. */
  readonly create: (files: Readonly<Record<string, string>>) => MaybePromise<Backend>;
  /** True for a backend that refuses every change. @default false */
  readonly readOnly?: boolean;
  /** Runs of each property. @default 25 */
  readonly numRuns?: number;
}

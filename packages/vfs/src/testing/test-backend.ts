import { describe } from "vitest";
import type { Backend, MaybePromise } from "../backend.js";
import { testGrep } from "./test-grep.js";
import { testReading } from "./test-reading.js";
import { testReadOnly } from "./test-read-only.js";
import { testSearching } from "./test-searching.js";
import { testWriting } from "./test-writing.js";

export interface TestBackendOptions {
  readonly name: string;
  /** Gives a backend that holds these files, by path, and nothing else. */
  readonly create: (files: Readonly<Record<string, string>>) => MaybePromise<Backend>;
  /** Every change is refused. @default false */
  readonly readOnly?: boolean;
  /** Runs of each property. @default 25 */
  readonly numRuns?: number;
}

/** The laws every Backend keeps, as a vitest suite. */
export function testBackend({ name, create, readOnly = false, numRuns = 25 }: TestBackendOptions): void {
  describe(`backend: ${name}`, () => {
    describe("reading", () => testReading(create, numRuns));
    describe("searching", () => testSearching(create));
    describe("grep", () => testGrep(create, numRuns));
    if (readOnly) describe("read-only", () => testReadOnly(create));
    else describe("writing", () => testWriting(create, numRuns));
  });
}

import { describe } from "vitest";
import type { TestBackendOptions } from "./test-backend-options.js";
import { testReading } from "./test-reading.js";
import { testGrep, testSearching } from "./test-searching.js";
import { testReadOnly, testWriting } from "./test-writing.js";

/** The laws every Backend keeps, as a vitest suite. */
export function testBackend({ name, create, readOnly = false, numRuns = 25 }: TestBackendOptions): void {
  const testChanges = readOnly ? testReadOnly : testWriting;
  describe(`backend: ${name}`, () => {
    describe("reading", () => {
      testReading(create, numRuns);
    });
    describe("searching", () => {
      testSearching(create);
    });
    describe("grep", () => {
      testGrep(create, numRuns);
    });
    describe("changing", () => {
      testChanges(create, numRuns);
    });
  });
}

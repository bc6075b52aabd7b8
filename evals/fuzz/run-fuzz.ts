import * as fc from "fast-check";
import { describeCase, fuzzCaseArbitrary } from "./fuzz-case.js";
import type { Operation } from "./operation.js";
import { playCase } from "./play-case.js";

export interface FuzzOptions {
  readonly seed: number;
  /** Milliseconds after which no further batch is begun. */
  readonly milliseconds: number;
  /** Histories after which no further batch is begun. @default no limit */
  readonly most?: number;
  /** Operations besides the real ones. @default none */
  readonly further?: readonly fc.Arbitrary<Operation>[];
  readonly onBatch?: (report: FuzzReport) => void;
}

export interface FuzzReport {
  readonly histories: number;
  /** One text for each batch that broke a law: the law, the operation, and how to reproduce it. */
  readonly violations: readonly string[];
}

const batch = 250;
/** Batches with a violation after which the run ends: more would repeat the same fault. */
const mostViolations = 5;

/** Returns how many histories were played and the laws that were broken, each shrunk. Batch `i` has the seed `seed + i`. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, milliseconds, most = Infinity, further = [], onBatch } = options;
  const end = performance.now() + milliseconds;
  const property = fc.asyncProperty(fuzzCaseArbitrary(further), playCase);
  const violations: string[] = [];
  let histories = 0;
  for (let index = 0; performance.now() < end && histories < most; index++) {
    const run = await fc.check(property, { seed: seed + index, numRuns: Math.min(batch, most - histories) });
    histories += run.numRuns;
    if (run.failed) {
      const [found] = run.counterexample ?? [];
      const { message } = run.errorInstance instanceof Error ? run.errorInstance : { message: "" };
      violations.push(`seed ${seed + index}\n${message}\n${found === undefined ? "" : describeCase(found)}`);
    }
    onBatch?.({ histories, violations });
    if (violations.length >= mostViolations) break;
  }
  return { histories, violations };
}

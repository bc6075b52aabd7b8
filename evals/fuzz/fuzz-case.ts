import type { BaseMessage } from "@langchain/core/messages";
import { toStoredMessage, withIds } from "@palimpsest/context";
import { historyArbitrary } from "@palimpsest/context/testing";
import * as fc from "fast-check";
import { nodeOperations } from "./node-operations.js";
import type { Operation } from "./operation.js";
import type { WriteFate } from "../live/unsteady-driver.js";

/** One operation, after some more messages of the thread have arrived. */
export interface FuzzStep {
  readonly more: number;
  readonly operation: Operation;
}

/** A thread and the operations applied while it grows. */
export interface FuzzCase {
  readonly thread: readonly BaseMessage[];
  readonly steps: readonly FuzzStep[];
  /** Outcomes of the writes to the archive; empty for a directory that keeps all of them. */
  readonly fates: readonly WriteFate[];
  readonly onDisk: boolean;
  /** The thread stays whole and the context has a channel of its own. */
  readonly view: boolean;
  /** The graph has the `compaction` channel. */
  readonly channel: boolean;
}

const fates = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly WriteFate[]>(["kept"]) },
  fc.array(fc.constantFrom<WriteFate>("kept", "kept", "throws", "deaf"), { minLength: 1, maxLength: 7 }),
);

/** One in four threads has compactions of a provider, one has single messages of 0.3 to 3 windows, in every role. */
const threadArbitrary = fc.oneof(
  { weight: 2, arbitrary: historyArbitrary({ maxTurns: 3 }) },
  { weight: 1, arbitrary: historyArbitrary({ maxTurns: 3, maxNative: 2 }) },
  { weight: 1, arbitrary: historyArbitrary({ maxTurns: 2, large: 1_000 }) },
);

/** Returns cases for the laws. `further` operations are mixed in: a planted bug has to be found. */
export function fuzzCaseArbitrary(further: readonly fc.Arbitrary<Operation>[] = []): fc.Arbitrary<FuzzCase> {
  const operation = fc.oneof(...nodeOperations, ...further);
  const step = fc.record({ more: fc.integer({ min: 1, max: 8 }), operation });
  return fc.record({
    thread: threadArbitrary.map((messages) => withIds(messages)),
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    fates,
    onDisk: fc.integer({ min: 0, max: 49 }).map((number) => number === 49),
    view: fc.boolean(),
    channel: fc.boolean(),
  });
}

/** Returns a case as text from which a test can be written: the messages as they are stored, and the steps. */
export function describeCase({ thread, steps, ...rest }: FuzzCase): string {
  return [
    JSON.stringify(rest),
    ...thread.map((message, index) => `${index}: ${JSON.stringify(toStoredMessage(message))}`),
    ...steps.map(({ more, operation }) => `+${more} messages, then ${operation.name}`),
  ].join("\n");
}

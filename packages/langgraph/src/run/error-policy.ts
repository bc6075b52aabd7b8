import { isGraphBubbleUp } from "@langchain/langgraph";
import { ContextError } from "@palimpsest/context";
import type { FailedRung, NextRung } from "../context-event.js";
import type { Reporter } from "./reporter.js";

/** Decides whether an error reaches the host. */
export interface ErrorPolicy {
  /** Signal of the run. */
  readonly signal?: AbortSignal | undefined;
  /** @default "continue" */
  readonly onError?: "continue" | "throw" | undefined;
}

/**
 * Returns true for an error that reaches the host: a graph interrupt, any error of an aborted run, a model call that used up stack or
 * memory, and with `onError: "throw"` every error. All other errors become an event, and the context stays as it was.
 *
 * Every strategy calls it, so that all treat errors alike. Pure.
 */
export function mustThrow(error: unknown, { signal, onError }: ErrorPolicy): boolean {
  const isMistake = ContextError.isInstance(error) && error.code === "bad-option";
  if (isMistake || exhausted.has(error as object)) return true;
  return isGraphBubbleUp(error) || signal?.aborted === true || onError === "throw";
}

/** Errors of model calls that have used up stack or memory. */
const exhausted = new WeakSet<object>();

/**
 * Returns the error of a model call. One that has used up stack or memory reaches the host: what the process can still do is not
 * known (SynthOrg re-raises `MemoryError` and `RecursionError`). Where a pass meets such a message, it leaves the message out instead.
 */
export function ofModelCall(error: unknown): unknown {
  const isOfEngine = /call stack|allocation failed|invalid (?:array|string|typed array) length/iu;
  if (error instanceof RangeError && isOfEngine.test(error.message)) exhausted.add(error);
  return error;
}

/** The part of a step that failed, and the fallback that is taken. */
interface Failure {
  readonly rung: FailedRung;
  /** @default "none" */
  readonly next?: NextRung;
}

/**
 * Reports that a part of a step failed.
 *
 * @throws the error where {@link mustThrow} says so.
 */
export function reportFailure(
  error: unknown,
  step: ErrorPolicy & { readonly report: Reporter },
  { rung, next }: Failure,
): void {
  if (mustThrow(error, step)) throw error;
  step.report.fail(rung, error, next);
}

/** Reports that a token counter failed and that tokens are estimated, like {@link reportFailure}. */
export function reportCounter(error: unknown, step: ErrorPolicy & { readonly report: Reporter }): void {
  reportFailure(error, step, { rung: "counter", next: "estimate" });
}

import type { BaseMessage } from "@langchain/core/messages";
import { messageLines } from "@palimpsest/context/internal";
import {
  dotProduct,
  hashVector,
  linesText,
  mergeSimilarities,
  paceQuery,
  rateSimilarities,
  unitVector,
  type RatedSteps,
} from "@palimpsest/context/selection";
import type { Reporter } from "../../run/reporter.js";
import type { PaceMemory } from "./pace-memory.js";
import type { ResolvedPredictive } from "../predictive-options.js";
import type { ThreadMemory } from "../memory/thread-memory.js";

export interface RatePastOptions {
  readonly options: ResolvedPredictive;
  readonly wholeSteps: number;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Tokens of the current context. */
  readonly tokens: number;
  /** False encodes the query alone. @default true */
  readonly encodesSteps?: boolean;
}

/**
 * Returns the rating of each past step, with pressure and thresholds.
 *
 * The query joins the first and the newest message of the user and the newest steps. Similarities come from the encoder if it
 * answers in time; steps without a vector are compared by hashed words.
 */
export async function ratePast(
  memory: ThreadMemory,
  past: readonly number[],
  options: RatePastOptions,
): Promise<RatedSteps> {
  const pace = paceOf(memory);
  const { chunks, users, newestUser } = memory.index;
  const { options: resolved, report, signal, wholeSteps, encodesSteps = true } = options;
  const recent = chunks.slice(-wholeSteps).map(({ index }) => index);
  const steps = new Set([users[0]?.index ?? 0, newestUser?.index ?? 0, ...recent]);
  const query = paceQuery(
    [...steps].map((step) => keptText(memory.keptMessagesOf(step))),
    resolved.encodedCharacters,
  );
  const { vectors } = pace;
  const encoding = { files: resolved.files, pace: resolved, report, signal, encodesSteps };
  const encoded = await vectors.encode(query, past, encoding);
  const similarities = past.map((step) => {
    const vector = encoded === undefined ? undefined : vectors.of(step, encoded.length);
    return encoded === undefined || vector === undefined ? undefined : dotProduct(encoded, vector);
  });
  const isComplete = similarities.every((similarity) => similarity !== undefined);
  const words = isComplete ? undefined : unitVector(hashVector(query));
  const byWords = words === undefined ? [] : past.map((step) => dotProduct(words, pace.wordsOf(step)));
  return rateSimilarities(mergeSimilarities(similarities, byWords), {
    ...resolved,
    step: chunks.length,
    tokens: options.tokens,
  });
}

/** Returns the facts of a thread for PACE. @throws Error if the memory was made for another policy */
export function paceOf({ pace }: ThreadMemory): PaceMemory {
  if (pace === undefined) throw new Error("The memory of the thread was made for another policy than PACE");
  return pace;
}

/** Returns the text of messages as archived. Pure. */
export function keptText(messages: readonly BaseMessage[]): string {
  const lines = messages.flatMap((message) => messageLines(message));
  return linesText({ lines }, 0, lines.length);
}

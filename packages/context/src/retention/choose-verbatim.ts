import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints } from "../cuts/cut-rules.js";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { isAi } from "../messages/tool-calls.js";
import { markerFamilies } from "../summary/epistemic-markers.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { Importance } from "./importance.js";

/** How much doubt makes a message stay (SynthOrg, recommendation 1). An option, without a claim about quality. */
export interface MarkerOptions {
  /** Families of words of doubt that a message must hold, 1 to 5. @default by `task`: 3, or 1 for complex and epic */
  readonly density?: number;
  /** @default "medium" */
  readonly task?: "simple" | "medium" | "complex" | "epic";
  /** How the agent works: one that is verbose or deliberative has the threshold of a complex task. */
  readonly profile?: AgentProfile;
}

/** How an agent speaks and thinks (SynthOrg, section on later phases). */
export interface AgentProfile {
  /** @default "normal" */
  readonly verbosity?: "terse" | "normal" | "verbose";
  /** @default "normal" */
  readonly deliberation?: "quick" | "normal" | "deliberative";
}

export interface ChooseVerbatimOptions {
  /** Index behind the last message that may be folded. */
  readonly cut: number;
  /** Tokens that the chosen messages may have. */
  readonly tokens: number;
  readonly tokenCounter: TokenCounter;
  readonly importance?: Importance | undefined;
  readonly markers?: MarkerOptions | undefined;
}

/**
 * Returns the ids of messages before `cut` that stay word for word, each with its whole call and results, within a budget.
 *
 * Pure. Messages of the model with enough words of doubt come first, the densest ahead; then the most important.
 */
export function chooseVerbatim(
  messages: readonly BaseMessage[],
  { cut, tokens, tokenCounter, importance, markers }: ChooseVerbatimOptions,
): ReadonlySet<string> {
  const span = messages.slice(0, cut);
  const scores = importance?.(span) ?? [];
  const density = markers === undefined ? Infinity : markerThreshold(markers);
  const points = cutPoints(messages).filter((point) => point <= cut);
  const segments = points.flatMap((start, at) => {
    const end = points[at + 1] ?? cut;
    const segment = span.slice(start, end);
    if (!segment.some(isAi) || segment.some((message) => foldOf(message)?.generation !== undefined))
      return [];
    const doubt = Math.max(...segment.map((message) => (isAi(message) ? markersIn(message) : 0)));
    const score = Math.max(0, ...scores.slice(start, end));
    return [{ segment, doubt: doubt >= density ? doubt : 0, score }];
  });
  let left = tokens;
  const chosen = segments
    .filter(({ doubt, score }) => doubt > 0 || score > 0)
    .toSorted((a, b) => b.doubt - a.doubt || b.score - a.score)
    .filter(({ segment }) => {
      const size = tokenCounter(segment);
      if (size > left) return false;
      left -= size;
      return true;
    });
  return new Set(chosen.flatMap(({ segment }) => segment.flatMap(({ id }) => id ?? [])));
}

/** Returns how many families of words of doubt make a message stay. */
export function markerThreshold({ density, task = "medium", profile = {} }: MarkerOptions): number {
  if (density !== undefined) return density;
  const deliberative = profile.verbosity === "verbose" || profile.deliberation === "deliberative";
  return deliberative || task === "complex" || task === "epic" ? 1 : 3;
}

function markersIn(message: BaseMessage): number {
  return markerFamilies(messageText(message));
}

import type { ModelUsage, StepRow } from "../../view.js";
import { foldingCost } from "./folding-cost.js";
import { predictedCalls } from "./predicted-bill.js";
import { sumByModel } from "./sum-by-model.js";

/** What the folds of a branch saved: its calls beside the same calls of the same thread without a fold. */
export interface Savings {
  /** Calls that are compared: those whose replies are in the thread. */
  readonly calls: number;
  /** Tokens of all prompts, as they were sent and as they would have been. */
  readonly sent: number;
  readonly unfolded: number;
  /** Tokens of the largest prompt. */
  readonly largest: number;
  readonly largestUnfolded: number;
  /** Number of the first call whose prompt would not have fitted into the window; null if each would, or if no window is known. */
  readonly overflow: number | null;
  /** Steps whose folds changed what was sent before, and the tokens that the next calls wrote to the cache again. */
  readonly rewrites: number;
  readonly rewritten: number;
  /** The predicted bills, summaries in the first, by model. Both assume a cache that never expires. */
  readonly bill: readonly ModelUsage[];
  readonly billUnfolded: readonly ModelUsage[];
}

export interface SavingsOptions {
  /** Tokens of the messages before each reply in the whole thread, by its id: of the estimator, without system messages. */
  readonly before: ReadonlyMap<string, number>;
  /** Tokens. */
  readonly window?: number | undefined;
}

/**
 * Compares what was sent with the same calls without folds. A prompt that was never sent has the tokens of the one that was, and of
 * what its folds hide, on the scale on which the sent messages were counted. Expects rows of `firstSeen`. Pure.
 */
export function savings(rows: readonly StepRow[], { before, window }: SavingsOptions): Savings {
  const prompts = unfoldedPrompts(rows, before);
  const costs = rows.flatMap((_, at) => foldingCost(rows, at) ?? []);
  const changed = costs.filter(({ rewritten }) => rewritten > 0);
  const summaries = rows.flatMap(({ folds }) => folds.flatMap(({ usage }) => usage ?? []));
  const over = prompts.find(({ unfolded }) => window !== undefined && unfolded > window);
  return {
    calls: prompts.length,
    sent: sumOf(prompts.map(({ sent }) => sent)),
    unfolded: sumOf(prompts.map(({ unfolded }) => unfolded)),
    largest: prompts.reduce((most, { sent }) => Math.max(most, sent), 0),
    largestUnfolded: prompts.reduce((most, { unfolded }) => Math.max(most, unfolded), 0),
    overflow: over?.number ?? null,
    rewrites: changed.length,
    rewritten: sumOf(changed.map(({ rewritten }) => rewritten)),
    bill: sumByModel([...predictedCalls(rows).map(({ predicted }) => predicted), ...summaries]),
    billUnfolded: sumByModel(prompts.flatMap((prompt, at) => unfoldedUsage(prompt, prompts[at - 1]) ?? [])),
  };
}

interface Prompt {
  /** Number of the call, counted from 1. */
  readonly number: number;
  readonly sent: number;
  readonly unfolded: number;
  readonly reported: ModelUsage | null;
  readonly reply: number;
}

function unfoldedPrompts(rows: readonly StepRow[], before: SavingsOptions["before"]): readonly Prompt[] {
  let number = 0;
  return rows.flatMap(({ calls }) =>
    calls.flatMap(({ id, tokens, counted, reported, reply }): readonly Prompt[] => {
      number += 1;
      const whole = before.get(id ?? "");
      if (whole === undefined) return [];
      const sent = sumOf(tokens);
      // The system prompt and the tools stand first.
      const scale = counted === 0 ? 1 : (sent - (tokens[0] ?? 0)) / counted;
      const unfolded = Math.round(sent + Math.max(0, whole - counted) * scale);
      return [{ number, sent, unfolded, reported, reply }];
    }),
  );
}

/** Returns the bill of a prompt whose beginning is the prompt before it; undefined where the model reported nothing. */
function unfoldedUsage(
  { unfolded: input, reported, reply: output }: Prompt,
  earlier: Prompt | undefined,
): ModelUsage | undefined {
  if (reported === null) return undefined;
  const cached = Math.min(earlier?.unfolded ?? 0, input);
  return { model: reported.model, calls: 1, input, cached, cacheWrites: input - cached, output };
}

function sumOf(tokens: readonly number[]): number {
  return tokens.reduce((sum, one) => sum + one, 0);
}

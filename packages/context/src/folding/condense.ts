import type { FoldedBlock } from "../folds/fold.js";
import { historyMarkdown } from "../messages/history-markdown.js";
import { digest } from "../messages/message-id.js";
import { messageText } from "../messages/text.js";
import { isToolResult, toolCalls } from "../messages/tool-calls.js";
import { microText, textCounter } from "./block-text.js";
import type { FoldUnit } from "./fold-units.js";
import { interactionOf } from "./interaction.js";
import { stackUnits, type BlockOptions, type Stacked } from "./stack-units.js";

export interface CondenseOptions extends BlockOptions {
  /** Id of the block. */
  readonly id: number;
  /** The model's own summary. @default an automatic summary */
  readonly text?: string | undefined;
  /** Maximum tokens of an automatic summary. */
  readonly microTokens: number;
  readonly reason?: string | undefined;
}

/** Returns one micro block that replaces one interaction: granular condensation. Pure, calls no model. */
export function condense(unit: FoldUnit, options: CondenseOptions): Stacked {
  const { id, microTokens, ...blockOptions } = options;
  const count = textCounter(options.tokenCounter);
  const interaction = interactionOf(unit.messages, unit.endStep);
  const text =
    options.text ?? microText(interaction, { maxTokens: microTokens, count, goalWords: options.goalWords });
  return stackUnits([unit], {
    ...blockOptions,
    scale: "micro",
    block: { id, text, ...marksOf(unit) },
    markdown: historyMarkdown,
  });
}

/** Returns digests of the calls and results, with which `stalledSteps` compares later steps. */
function marksOf({ messages }: FoldUnit): Pick<FoldedBlock, "calls" | "results" | "failed"> {
  const calls = messages.flatMap(toolCalls).map(({ name, args }) => [name, args]);
  const results = messages.filter(isToolResult);
  if (calls.length === 0 || results.length === 0) return {};
  return {
    calls: digest(JSON.stringify(calls)),
    results: digest(JSON.stringify(results.map(messageText))),
    ...(results.every(({ status }) => status === "error") ? { failed: true } : {}),
  };
}

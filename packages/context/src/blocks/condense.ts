import { digest } from "../digest.js";
import { historyMarkdown } from "../history-markdown.js";
import { messageText } from "../message-text.js";
import { isToolResult, toolCalls } from "../tool-calls.js";
import { textCounter } from "./clip-tokens.js";
import type { FoldedBlock } from "./folded-block.js";
import type { FoldUnit } from "./fold-units.js";
import { interactionOf } from "./interaction.js";
import { microText } from "./micro-text.js";
import { stackUnits, type BlockMaking, type Stacked } from "./stack-units.js";

export interface CondenseOptions extends BlockMaking {
  /** Id of the block. */
  readonly id: number;
  /** The model's own summary. @default one that is taken from the messages */
  readonly text?: string | undefined;
  /** Tokens of an automatic summary. */
  readonly microTokens: number;
  readonly reason?: string | undefined;
}

/** Returns one micro block in place of one interaction: granular condensation. Pure, calls no model. */
export function condense(unit: FoldUnit, options: CondenseOptions): Stacked {
  const { id, microTokens, ...making } = options;
  const count = textCounter(options.tokenCounter);
  const interaction = interactionOf(unit.messages, unit.endStep);
  const text = options.text ?? microText(interaction, { most: microTokens, count, sought: options.sought });
  return stackUnits([unit], {
    ...making,
    scale: "micro",
    block: { id, text, ...marksOf(unit) },
    markdown: historyMarkdown,
  });
}

/** What a later step is compared with, to see whether anything new came of it. */
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

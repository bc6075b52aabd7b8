import type { FoldedBlock } from "../folds/fold.js";
import { historyMarkdown } from "../messages/history-markdown.js";
import { digest } from "../messages/message-id.js";
import { messageText } from "../messages/text.js";
import { isToolResult, toolCalls } from "../messages/tool-calls.js";
import { microText, textCounter } from "./block-text.js";
import {
  findingsOfStep,
  findingTokens,
  noFindings,
  type StepFindings,
} from "../summary/lines/block-findings.js";
import type { FoldUnit } from "./fold-units.js";
import { interactionOf } from "./interaction.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { stackUnits, type BlockOptions, type Stacked } from "./stack-units.js";

export interface CondenseOptions extends BlockOptions {
  /** Id of the block. */
  readonly id: number;
  /** A summary by the agent or by a model. @default extracted from the messages */
  readonly text?: string | undefined;
  /**
   * Lines of the step. They stand beside a `text`; an extracted text is a passage of the step itself, so that only newer values
   * of what earlier blocks show stand beside it, and the others wait for the block that replaces this one. @default none
   */
  readonly findings?: StepFindings;
  /** Maximum tokens of an automatic summary. */
  readonly microTokens: number;
  readonly reason?: string | undefined;
}

/** Returns one micro block that replaces one interaction: granular condensation. Pure, calls no model. */
export function condense(unit: FoldUnit, options: CondenseOptions): Stacked {
  const { id, microTokens, findings = noFindings, ...blockOptions } = options;
  const count = textCounter(options.tokenCounter);
  const interaction = interactionOf(unit.messages, unit.endStep);
  const isExtracted = options.text === undefined;
  const shown = isExtracted ? findings.updates : findings.all;
  const maxTokens = microTokens - findingTokens(shown, count);
  const text = options.text ?? microText(interaction, { maxTokens, count, goalWords: options.goalWords });
  return stackUnits([unit], {
    ...blockOptions,
    scale: "micro",
    block: {
      id,
      text,
      ...(shown.length === 0 ? {} : { findings: shown }),
      ...(isExtracted && findings.others.length > 0 ? { spareFindings: findings.others } : {}),
      ...marksOf(unit),
    },
    markdown: historyMarkdown,
  });
}

export interface UnitFindingsOptions {
  /** Units before the interaction: newer values of what their blocks keep come first. */
  readonly before: readonly FoldUnit[];
  readonly microTokens: number;
  readonly tokenCounter: TokenCounter;
}

/** Returns the lines of an interaction for the `findings` of `condense`. Pure. */
export function unitFindings(
  unit: FoldUnit,
  { before, microTokens, tokenCounter }: UnitFindingsOptions,
): StepFindings {
  const shown = before.flatMap(({ block }) => block?.findings ?? []);
  const spare = before.flatMap(({ block }) => block?.spareFindings ?? []);
  const count = textCounter(tokenCounter);
  return findingsOfStep(unit.messages, { maxTokens: microTokens, count, shown, spare });
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

import type { BaseMessage, MessageContent } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi, isTaskBoundary, triggerTokens } from "@palimpsest/context/internal";
import type { BudgetLine, CompactionState } from "../run/context-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { atMostOf, measureOf } from "../run/measure.js";
import type { Step } from "../run/step.js";
import { hasGrown, isTooEarly } from "./compaction-due.js";
import type { CompactionOutcome } from "./compaction-outcome.js";

/**
 * Returns the messages with the lines that tell an agent how full its window is. Each line is at the end of the message that
 * was the newest when the compaction node wrote it.
 *
 * Call it in the model node with the state's `compaction` channel; without that channel there are no lines. A line that was
 * sent stays in place until a compaction folds its message, so the prompt prefix is stable. The lines are not part of the
 * thread. Pure.
 */
export function withContextBudget(
  messages: readonly BaseMessage[],
  compaction: CompactionState | undefined,
): readonly BaseMessage[] {
  const lines = new Map(compaction?.budgetLines?.map(({ after, text }) => [after, text]));
  if (lines.size === 0) return messages;
  return messages.map((message) => {
    const line = lines.get(message.id ?? "");
    return line === undefined ? message : copyMessage(message, { content: appended(message.content, line) });
  });
}

function appended(content: MessageContent, line: string): MessageContent {
  if (typeof content === "string") return content === "" ? line : `${content}\n\n${line}`;
  return [...content, { type: "text", text: line }];
}

/**
 * Returns the line for the newest message, or undefined if it would repeat the line before it.
 *
 * There is a line only if the agent may ask: not below `agentTrigger`, and not before a context that could not be compacted has
 * grown. The fill is in tens of percent, so a window has only a
 * few lines. Pure.
 */
export function dueBudgetLine(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): BudgetLine | undefined {
  const after = placeOf(messages);
  if (options.agentControlled !== true || state === undefined || after === undefined) return undefined;
  const size = { messages: messages.length };
  // Hot path: most steps are shown to be too early by the upper bound.
  if (isTooEarly({ ...size, tokens: atMostOf(messages, options, state) }, options)) return undefined;
  const { tokens } = measureOf(messages, options, state);
  if (isTooEarly({ ...size, tokens }, options) || !hasGrown(tokens, state)) return undefined;
  const last = state.budgetLines?.at(-1);
  const text = budgetText(messages, tokens, options);
  return last?.text === text || last?.after === after ? undefined : { after, text };
}

function budgetText(
  messages: readonly BaseMessage[],
  tokens: number,
  { contextWindow, trigger }: ResolvedOptions,
): string {
  const net = triggerTokens(trigger, contextWindow);
  return [
    `[Context: about ${Math.round((10 * tokens) / contextWindow) * 10} % of the window is used`,
    net === undefined ? "." : `; at ${Math.round((100 * net) / contextWindow)} % it is compacted for you.`,
    isTaskBoundary(messages)
      ? " A piece of work has just ended: unless you need its details, call compress_context before you go on.]"
      : " Go on, and call compress_context when the present piece of work is done.]",
  ].join("");
}

/**
 * Returns the line that tells the agent what became of a compaction, and how full the window is now; undefined if it neither
 * asked nor controls its context. Pure.
 */
function outcomeLine(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  {
    state,
    outcome,
  }: {
    readonly state: CompactionState;
    readonly outcome: CompactionOutcome | undefined;
  },
): BudgetLine | undefined {
  if (outcome === undefined || !isTold(options, outcome)) return undefined;
  const after = placeOf(messages);
  if (after === undefined || state.budgetLines?.at(-1)?.after === after) return undefined;
  const percent = (tokens: number) => `${Math.round((100 * tokens) / options.contextWindow)} %`;
  const used = percent(measureOf(messages, options, state).tokens);
  const text =
    outcome.isApplied === true
      ? `[Context: compacted. About ${used} of the window is used now.]`
      : `[Context: not compacted, because ${reasonOf(outcome, percent)}. About ${used} of the window is used. Go on.]`;
  return { after, text };
}

/** Returns whether the agent controls its context, or has asked for this compaction. */
function isTold({ agentControlled }: ResolvedOptions, outcome: CompactionOutcome | undefined): boolean {
  return agentControlled === true || outcome?.due === "agent";
}

/** Returns the id of the newest message, behind which a line may stand; undefined behind the model's own words. */
function placeOf(messages: readonly BaseMessage[]): string | undefined {
  const newest = messages.at(-1);
  return newest === undefined || isAi(newest) ? undefined : newest.id;
}

function reasonOf({ reason, minimumTokens }: CompactionOutcome, percent: (tokens: number) => string): string {
  if (reason === "floor") return `${percent(minimumTokens())} must stay`;
  if (reason === "too-early") return "it is too early";
  if (reason === undefined) return "the archive could not be written";
  return "hardly anything could be freed";
}

/** Returns the lines of the unchanged beginning of a step's context, and the line that is due, if they have changed. Pure. */
export function budgetLinesFor(
  { input, messages, options }: Step,
  update: CompactionState,
  outcome?: CompactionOutcome,
): Pick<CompactionState, "budgetLines"> {
  const { state } = input;
  const { budgetLines: lines = [] } = state ?? {};
  if (state === undefined || (lines.length === 0 && !isTold(options, outcome))) return {};
  const kept = linesInPrefix(lines, input.messages, messages);
  const known = { ...state, ...update, budgetLines: kept };
  const due =
    outcomeLine(messages, options, { state: known, outcome }) ?? dueBudgetLine(messages, options, known);
  if (due === undefined && kept.length === lines.length) return {};
  return { budgetLines: due === undefined ? kept : [...kept, due] };
}

function linesInPrefix(
  lines: readonly BudgetLine[],
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly BudgetLine[] {
  const changed = after.findIndex((message, index) => message !== before[index]);
  if (changed < 0) return lines;
  const ids = new Set(after.slice(0, changed).map(({ id }) => id));
  return lines.filter((line) => ids.has(line.after));
}

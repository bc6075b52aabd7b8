import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  emptySummary,
  epistemicMarkers,
  extractSummary,
  messageText,
  parseSummary,
  renderSummary,
  type Summary,
} from "@palimpsest/context";
import { isGraphBubbleUp } from "@langchain/langgraph";
import type { ResolvedOptions } from "../resolve-options.js";
import { askSummaryModel } from "./ask-summary-model.js";
import type { Reporter } from "./reporter.js";

/** Characters of extracted findings for a token of the summary: dense text has little more than two a token. */
const charactersPerToken = 2;
export interface WriteSummaryOptions {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Lists the phrases of doubt of the summarized messages, word for word. @default false */
  readonly markers?: boolean;
}

/**
 * Returns the Markdown of a summary of `messages`: the model's, completed by what is taken from the messages
 * themselves, or the latter alone when there is no model or it fails. Undefined when neither can be had.
 *
 * The user's constraints and the artifacts never come from the model. Throws only when the run was aborted or
 * interrupted.
 */
export async function writeSummary(
  messages: readonly BaseMessage[],
  { markers = false, ...writing }: WriteSummaryOptions,
): Promise<string | undefined> {
  const summary = await summaryOf(messages, writing);
  if (summary === undefined) return undefined;
  const text = renderSummary(summary);
  return markers ? text + doubts(messages) : text;
}

async function summaryOf(
  messages: readonly BaseMessage[],
  { options, report, signal }: WriteSummaryOptions,
): Promise<Summary | undefined> {
  const { model, contextWindow } = options;
  const window = Math.min(contextWindow, model?.profile?.maxInputTokens ?? contextWindow);
  const tokens = Math.min(defaults.summaryTokens, Math.floor(window / 10));
  let written: Partial<Summary> | undefined;
  try {
    if (model !== undefined) {
      written = authored(await askSummaryModel(messages, { model, options, report, tokens, signal }));
    }
  } catch (error) {
    if (isGraphBubbleUp(error) || signal?.aborted === true) throw error;
    report.fail("summary", error, "extract");
  }
  try {
    const extracted = extractSummary(messages, { findingCharacters: tokens * charactersPerToken });
    return { ...extracted, ...written };
  } catch (error) {
    report.fail("summary", error, "trim");
    return undefined;
  }
}

/** The sections that a model may write. Prose without headings counts as findings. */
function authored(text: string): Partial<Summary> {
  const {
    constraints: _,
    artifacts: __,
    ...sections
  } = parseSummary(text) ?? {
    ...emptySummary,
    findings: text.split(/\n+/).filter((line) => line.trim() !== ""),
  };
  return Object.fromEntries(Object.entries(sections).filter(([, entries]) => entries.length > 0));
}

/** The phrases by which the model showed doubt (SynthOrg, recommendation 1). */
function doubts(messages: readonly BaseMessage[]): string {
  const own = messages.filter((message) => message.getType() === "ai");
  const found = epistemicMarkers(own.map(messageText).join("\n"));
  if (found.length === 0) return "";
  return `\n\nUncertainty points preserved: ${found.map((phrase) => `"${phrase}"`).join(", ")}.`;
}

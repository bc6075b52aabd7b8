import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
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
import type { Reporter } from "./reporter.js";
import type { SummaryModel } from "./summary-model.js";
import { summaryPrompt } from "./summary-prompt.js";
import { transcript } from "./transcript.js";

/** Characters that surely fit a token budget: dense text has little more than two a token. */
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
 * themselves, or the latter alone when there is no model or it fails.
 *
 * The user's constraints and the artifacts never come from the model. Throws only when the run was aborted or
 * interrupted.
 */
export async function writeSummary(
  messages: readonly BaseMessage[],
  { markers = false, ...writing }: WriteSummaryOptions,
): Promise<string> {
  const text = renderSummary(await summaryOf(messages, writing));
  return markers ? text + doubts(messages) : text;
}

async function summaryOf(
  messages: readonly BaseMessage[],
  { options, report, signal }: WriteSummaryOptions,
): Promise<Summary> {
  const tokens = Math.min(defaults.summaryTokens, Math.floor(options.contextWindow / 10));
  const extracted = extractSummary(messages, { findingCharacters: tokens * charactersPerToken });
  if (options.model === undefined) return extracted;
  try {
    const written = await askModel(messages, { model: options.model, options, signal });
    return { ...extracted, ...authored(written, tokens) };
  } catch (error) {
    if (isGraphBubbleUp(error) || signal?.aborted === true) throw error;
    report.fail("summary", error);
    return extracted;
  }
}

interface AskOptions {
  readonly model: SummaryModel;
  readonly options: ResolvedOptions;
  readonly signal?: AbortSignal | undefined;
}

/** Asks piece by piece: each answer goes into the next question, so that any length fits the model's own window. */
async function askModel(messages: readonly BaseMessage[], { model, options, signal }: AskOptions): Promise<string> {
  const window = model.profile?.maxInputTokens ?? options.contextWindow;
  const pieces = transcript(messages, Math.max(2_000, Math.floor(window * 0.6) * charactersPerToken));
  let record = "";
  for (const piece of pieces) {
    const earlier = record === "" ? "" : `<record_so_far>\n${record}\n</record_so_far>\n`;
    const question = `${earlier}<conversation>\n${asData(piece)}\n</conversation>`;
    const answer = await model.invoke(
      [new SystemMessage(options.summaryPrompt ?? summaryPrompt), new HumanMessage(question)],
      // Tagged so that the tokens of a summary never reach the user's message stream.
      { tags: ["nostream", "langsmith:nostream"], ...(signal === undefined ? {} : { signal }) },
    );
    record = messageText(answer).trim();
  }
  if (record === "") throw new Error("The summary model returned an empty answer");
  return record;
}

/** A tool result that holds our closing tag must not end the data early. */
function asData(text: string): string {
  return text.replace(/<(\/?)(conversation|record_so_far)>/g, (_, slash: string, name: string) => `<${slash}_${name}>`);
}

/** The sections that a model may write. Prose without headings counts as findings. */
function authored(text: string, tokens: number): Partial<Summary> {
  const limit = tokens * 6;
  if (text.length > limit) throw new Error(`The summary has ${text.length} characters; at most ${limit} are useful`);
  const { constraints: _, artifacts: __, ...sections } = parseSummary(text) ?? {
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

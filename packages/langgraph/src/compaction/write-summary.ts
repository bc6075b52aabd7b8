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

/** Characters of extracted findings for a token of the summary: dense text has little more than two a token. */
const charactersPerToken = 2;
/** Characters a token that a model's summary may have; prose has some four. */
const mostCharactersPerToken = 6;
/** Share of the summary model's window for one piece of the conversation; the rest is for prompt, record and answer. */
const pieceShare = 0.5;

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
  const { model, contextWindow } = options;
  const window = Math.min(contextWindow, model?.profile?.maxInputTokens ?? contextWindow);
  const tokens = Math.min(defaults.summaryTokens, Math.floor(window / 10));
  const extracted = extractSummary(messages, { findingCharacters: tokens * charactersPerToken });
  if (model === undefined) return extracted;
  try {
    const written = await askModel(messages, { model, options, tokens, signal });
    return { ...extracted, ...authored(written) };
  } catch (error) {
    if (isGraphBubbleUp(error) || signal?.aborted === true) throw error;
    report.fail("summary", error);
    return extracted;
  }
}

interface AskOptions {
  readonly model: SummaryModel;
  readonly options: ResolvedOptions;
  /** Tokens that the summary may have. */
  readonly tokens: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks piece by piece: each answer goes into the next question, so that any length fits the model's own window. */
async function askModel(
  messages: readonly BaseMessage[],
  { model, options, ...asking }: AskOptions,
): Promise<string> {
  const { tokens, signal } = asking;
  const window = model.profile?.maxInputTokens ?? options.contextWindow;
  const count = (text: string) => options.tokenCounter([new HumanMessage(text)]);
  let record = "";
  for (const piece of transcript(messages, { tokens: Math.floor(window * pieceShare), count })) {
    const earlier = record === "" ? "" : `<record_so_far>\n${asData(record)}\n</record_so_far>\n`;
    const question = `${earlier}<conversation>\n${asData(piece)}\n</conversation>`;
    const answer = await model.invoke(
      [new SystemMessage(options.summaryPrompt ?? summaryPrompt), new HumanMessage(question)],
      // Tagged so that the tokens of a summary never reach the user's message stream.
      { tags: ["nostream", "langsmith:nostream"], ...(signal === undefined ? {} : { signal }) },
    );
    record = checked(messageText(answer).trim(), { most: tokens * mostCharactersPerToken, asked: question });
  }
  return record;
}

/** Refuses an answer that is no summary, before it goes into the next question or into the context. */
function checked(answer: string, { most, asked }: { readonly most: number; readonly asked: string }): string {
  if (answer === "") throw new Error("The summary model returned an empty answer");
  if (answer.length > most) {
    throw new Error(`The summary has ${answer.length} characters; at most ${most} are useful`);
  }
  if (answer.length < asked.length) return answer;
  throw new Error(`The summary has ${answer.length} characters, no fewer than what it stands for`);
}

/** A tool result that holds our closing tag must not end the data early. */
function asData(text: string): string {
  return text.replace(
    /<(\/?)(conversation|record_so_far)>/g,
    (_, slash: string, name: string) => `<${slash}_${name}>`,
  );
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

import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  extractSummary,
  renderSummary,
  unfold,
  type Fold,
  type ReadArchive,
  type Summary,
} from "@palimpsest/context";
import {
  boundSummary,
  completeSummary,
  laneOfPath,
  lineCleaner,
  type LineCleaner,
  type SummaryTokens,
} from "@palimpsest/context/internal";
import { reportFailure, ofModelCall } from "../run/error-policy.js";
import type { Reporter } from "../run/reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { askSummaryModel, type AskedSummary } from "./ask-summary-model.js";
import { SummaryMeter } from "./summary-usage.js";

/** Characters of extracted findings per token of the summary. Dense text has hardly more than two characters per token. */
const charactersPerToken = 2;
/** Extracted findings take at most this share of their source, so that the summary frees something. */
const maxShare = 0.2;

interface WriteSummaryOptions {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Reads the results that are masked in the messages, so that extraction finds what they tell. */
  readonly read: ReadArchive;
  /** Lists the sentences in which the agent expresses doubt, word for word. @default true */
  readonly preserveMarkers?: boolean;
}

/** What replaces a region. */
export interface WrittenSummary {
  /** Markdown. */
  readonly text: string;
  /** `model` where the summary model wrote it, `messages` where it was extracted from them. */
  readonly source: "model" | "messages";
  /** Lines of the model that were refused: instructions, and wishes that no user stated. */
  readonly refused: readonly string[];
  /** Tokens of the model's calls; undefined if no model was called. */
  readonly usage?: SummaryTokens | undefined;
}

/**
 * Returns a summary of `messages`: that of the model, completed by extracted parts, or only the extracted parts if there is no
 * model or it fails. Undefined if the extraction fails too.
 *
 * The user's constraints, the files, tasks and errors never come from the model alone. Throws only when the run was
 * aborted or interrupted.
 */
export async function writeSummary(
  messages: readonly BaseMessage[],
  { preserveMarkers = true, ...writing }: WriteSummaryOptions,
): Promise<WrittenSummary | undefined> {
  const { options, report } = writing;
  const tokens = summaryTokensOf(options);
  const meter = new SummaryMeter();
  const clean = lineCleaner(messages);
  const asked = await askedSummary(messages, { ...writing, tokens, meter, clean });
  try {
    const extracted = extractedSummary(await withResults(messages, writing), options, clean);
    const summary = asked === undefined ? extracted : completeSummary(asked.summary, extracted, messages);
    const kept = preserveMarkers ? summary : { ...summary, uncertainties: [] };
    return {
      text: renderSummary(boundSummary(kept, tokens)),
      source: asked === undefined ? "messages" : "model",
      refused: asked?.refused ?? [],
      usage: meter.total,
    };
  } catch (error) {
    report.fail("summary", error, "trim");
    return undefined;
  }
}

/** Returns the messages with the results that masks hide, as far as the archive has them, without those of other agents' lanes. */
async function withResults(
  messages: readonly BaseMessage[],
  { read, options }: Pick<WriteSummaryOptions, "read" | "options">,
): Promise<readonly BaseMessage[]> {
  const own = new Set([undefined, options.lane?.name]);
  const isOwn = ({ kind, path }: Fold) => kind === "mask" && own.has(laneOfPath(path));
  try {
    return await unfold(messages, read, { levels: 1, folds: isOwn });
  } catch {
    return messages;
  }
}

/** Returns the summary of `messages` without a model: the findings, rules, files and tasks in them. Pure. */
export function extractedSummary(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  clean: LineCleaner = lineCleaner(messages),
): Summary {
  const extracted = extractSummary(messages, {
    findingCharacters: findingCharacters(messages, options),
    clean,
  });
  return boundSummary(extracted, summaryTokensOf(options));
}

/** Returns the characters of the lines that stand for messages without a model: in a summary, and in masks. Pure. */
export function findingCharacters(messages: readonly BaseMessage[], options: ResolvedOptions): number {
  const room = Math.min(summaryTokensOf(options), Math.ceil(options.tokenCounter(messages) * maxShare));
  return room * charactersPerToken;
}

/** Returns the tokens that a summary may have: the next call of the summary model reads it again, beside the new messages. */
function summaryTokensOf(
  { contextWindow, summaryModel, summaryTokens }: ResolvedOptions,
  wanted = summaryTokens,
): number {
  const window = Math.min(contextWindow, summaryModel?.profile?.maxInputTokens ?? Infinity);
  return Math.min(wanted, Math.floor(window / 10));
}

interface Asking extends Omit<WriteSummaryOptions, "preserveMarkers"> {
  readonly tokens: number;
  readonly meter: SummaryMeter;
  readonly clean: LineCleaner;
}

async function askedSummary(
  messages: readonly BaseMessage[],
  { options, report, tokens, meter, clean, signal }: Asking,
): Promise<AskedSummary | undefined> {
  const { summaryModel: model } = options;
  if (model === undefined) return undefined;
  try {
    // The answer has at least the usual length: a short summary keeps its newest entries.
    const answerTokens = Math.max(tokens, summaryTokensOf(options, defaults.summaryTokens));
    const asking = { model, options, report, tokens: answerTokens, meter, clean, signal };
    return await askSummaryModel(messages, asking);
  } catch (error) {
    reportFailure(ofModelCall(error), { signal, report }, { rung: "summary", next: "extract" });
    return undefined;
  } finally {
    // Report a summary that fails or is not applied as well, because the provider bills it.
    const usage = meter.total;
    if (usage !== undefined) report.send({ type: "context.summary", usage, threadId: report.threadId });
  }
}

/** A prepared summary, and the index of the first message after its span. */
export interface PreparedSummary {
  readonly cut: number;
  readonly written: WrittenSummary;
}

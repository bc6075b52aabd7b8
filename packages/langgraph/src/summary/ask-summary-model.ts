import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { isContextOverflow, type Summary } from "@palimpsest/context";
import {
  cleanPatch,
  type LineCleaner,
  earlierSummary,
  isSummary,
  numberSummary,
  patchSummary,
} from "@palimpsest/context/internal";
import type { SummaryModel } from "../options/context-options.js";
import type { Reporter } from "../run/reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { summaryDeadline, type Deadline } from "./deadline.js";
import { isRefusal } from "./model-refusal.js";
import { callSummaryModel } from "./summary-call.js";
import { splitText, summaryPrompt, transcript } from "./summary-prompt.js";
import type { SummaryMeter } from "./summary-usage.js";

/** Share of the summary model's window for one piece of the conversation. The prompt, the record and the answer need the rest. */
const pieceShare = 0.5;
/** Factor for the size of pieces after the model has refused one as too long. */
const smallerPiece = 0.25;

interface AskOptions {
  readonly model: SummaryModel;
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  /** Tokens that the summary may have. */
  readonly tokens: number;
  /** Keeps, changes or refuses each line of the model; made from the same messages. */
  readonly clean: LineCleaner;
  /** Counts the calls. */
  readonly meter: SummaryMeter;
  readonly signal?: AbortSignal | undefined;
}

/** The record after the calls of the model. */
export interface AskedSummary {
  readonly summary: Summary;
  /** Lines of the model that were refused. */
  readonly refused: readonly string[];
}

/**
 * Returns the earlier record with the additions of the model, which is asked piece by piece, so that any length fits its
 * window. Each answer is a patch, so the model never rewords the record.
 *
 * One call may fail: a piece that is too long is split, and a call with a schema is repeated without it, unless the model
 * refused to answer. The model itself retries rate limits, server errors and network errors (`maxRetries`).
 * @throws the second failure, any other error of the model, and an error if the time is up or the answer is not a summary.
 */
export async function askSummaryModel(
  messages: readonly BaseMessage[],
  asking: AskOptions,
): Promise<AskedSummary> {
  const { options, report, signal, clean } = asking;
  const time = summaryDeadline(options.summaryTimeoutMs, signal);
  const fresh = messages.filter((message) => !isSummary(message));
  let summary = earlierSummary(messages);
  let [pieces, structured, spare] = [piecesOf(fresh, asking), isStructured(asking), 1];
  const refused: string[] = [];
  try {
    for (let [piece] = pieces; piece !== undefined; [piece] = pieces) {
      try {
        const answer = await ask(piece, summary, { ...asking, time, structured });
        const cleaned = cleanPatch(answer, messages, clean);
        refused.push(...cleaned.refused);
        summary = patchSummary(summary, cleaned.patch);
        pieces = pieces.slice(1);
      } catch (error) {
        const overflow = isContextOverflow(error);
        const hasRemedy = overflow || (structured && isRepeatable(error));
        if (time.signal.aborted || !hasRemedy || spare-- === 0) throw error;
        report.fail("summary", error, overflow ? "smaller-pieces" : "retry");
        structured = false;
        if (overflow) pieces = smaller(piece, { pieces, asking });
      }
    }
  } finally {
    time.end();
  }
  if (isEmpty(summary)) throw new Error("The answer of the summary model adds nothing to the record");
  return { summary, refused };
}

/** True for an error after which a call is made once more. Graph control flow passes through, and a refusal would be repeated. */
function isRepeatable(error: unknown): boolean {
  return !isGraphBubbleUp(error) && !isRefusal(error);
}

function isStructured({ model }: AskOptions): boolean {
  return model.profile?.structuredOutput === true && model.withStructuredOutput !== undefined;
}

function isEmpty({
  findings,
  decisions,
  openQuestions,
  done,
  inProgress,
  nextSteps,
  sideEffects,
  intent,
}: Summary) {
  return (
    [findings, decisions, openQuestions, done, inProgress, nextSteps, sideEffects, intent].flat().length === 0
  );
}

function piecesOf(fresh: readonly BaseMessage[], asking: AskOptions): readonly string[] {
  const { model, options } = asking;
  const window = model.profile?.maxInputTokens ?? options.contextWindow;
  const tokens = Math.floor(window * pieceShare);
  return transcript(fresh, { tokens, count: counter(asking), inputTokens: options.summaryInputTokens });
}

function counter({ options }: AskOptions): (text: string) => number {
  return (text) => options.tokenCounter([new HumanMessage(text)]);
}

interface Smaller {
  readonly pieces: readonly string[];
  readonly asking: AskOptions;
}

function smaller(piece: string, { pieces, asking }: Smaller): readonly string[] {
  const count = counter(asking);
  const tokens = Math.max(1, count(piece) * smallerPiece);
  return pieces.flatMap((one) => splitText(one, { tokens, count }));
}

type Asking = AskOptions & { readonly time: Deadline; readonly structured: boolean };

function ask(piece: string, summary: Summary, asking: Asking) {
  const { model, options, report, tokens, meter, time, structured } = asking;
  const system = options.summaryPrompt ?? summaryPrompt;
  const record = asData(numberSummary(summary));
  const call = {
    model,
    time,
    tokens,
    meter,
    repairs: options.summaryPrompt === undefined,
    onRepair: (error: Error) => report.fail("summary", error, "repair"),
  };
  const earlier = record === "" ? "" : `<record_so_far>\n${record}\n</record_so_far>\n`;
  const question = `${earlier}<conversation>\n${asData(piece)}\n</conversation>`;
  const prompt = [new SystemMessage(system), new HumanMessage(question)];
  return callSummaryModel({ ...call, structured, prompt });
}

/** Escapes our closing tag in any spelling, so that a tool result cannot end the data early. */
function asData(text: string): string {
  return text.replace(
    /<(\s*\/?\s*)(conversation|record_so_far)\b/gi,
    (_, slash: string, name: string) => `<${slash}_${name}`,
  );
}

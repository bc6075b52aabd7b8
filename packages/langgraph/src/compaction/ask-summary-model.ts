import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { isContextOverflow, messageText } from "@palimpsest/context";
import { isGraphBubbleUp } from "@langchain/langgraph";
import type { ResolvedOptions } from "../resolve-options.js";
import { deadline, type Deadline } from "./deadline.js";
import { isTransientError } from "./is-transient-error.js";
import type { Reporter } from "./reporter.js";
import type { SummaryModel } from "./summary-model.js";
import { summaryPrompt } from "./summary-prompt.js";
import { splitText, transcript } from "./transcript.js";

/** Characters a token that a model's summary may have; prose has some four. */
const mostCharactersPerToken = 6;
/** Share of the summary model's window for one piece of the conversation; the rest is for prompt, record and answer. */
const pieceShare = 0.5;
/** What is left of a piece's size once the model has refused one as too long. */
const smallerPiece = 0.25;
/** Milliseconds before a failed call is tried again: at least, and at most whatever the provider asks for. */
const pauses = { least: 500, most: 10_000 };

export interface AskOptions {
  readonly model: SummaryModel;
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  /** Tokens that the summary may have. */
  readonly tokens: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns what the model writes of the messages, asked piece by piece: each answer goes into the next question, so that
 * any length fits the model's own window.
 *
 * One call may fail: a transient error is tried again after a pause, a piece that was too long is asked in smaller
 * ones. A second failure, an answer that is no summary, and the time being up are thrown.
 */
export async function askSummaryModel(messages: readonly BaseMessage[], asking: AskOptions): Promise<string> {
  const { model, options, report, signal } = asking;
  const time = deadline(options.summaryTimeoutMs, signal);
  const count = (text: string) => options.tokenCounter([new HumanMessage(text)]);
  const most = Math.floor((model.profile?.maxInputTokens ?? options.contextWindow) * pieceShare);
  let pieces = transcript(messages, { tokens: most, count });
  let record = "";
  let spare = 1;
  try {
    for (let [piece] = pieces; piece !== undefined; [piece] = pieces) {
      try {
        record = await ask(piece, record, { ...asking, time });
        pieces = pieces.slice(1);
      } catch (error) {
        const overflow = isContextOverflow(error);
        const hopeless =
          isGraphBubbleUp(error) || time.signal.aborted || (!overflow && !isTransientError(error));
        if (hopeless || spare-- === 0) throw error;
        report.fail("summary", error, overflow ? "smaller-pieces" : "retry");
        if (overflow) pieces = pieces.flatMap(splitter(count(piece) * smallerPiece, count));
        else await time.pause(pauseAfter(error));
      }
    }
  } finally {
    time.end();
  }
  return record;
}

function splitter(tokens: number, count: (text: string) => number) {
  return (text: string): readonly string[] => splitText(text, { tokens: Math.max(1, tokens), count });
}

async function ask(
  piece: string,
  record: string,
  { model, options, tokens, time }: AskOptions & { readonly time: Deadline },
): Promise<string> {
  const earlier = record === "" ? "" : `<record_so_far>\n${asData(record)}\n</record_so_far>\n`;
  const question = `${earlier}<conversation>\n${asData(piece)}\n</conversation>`;
  const answer = model.invoke(
    [new SystemMessage(options.summaryPrompt ?? summaryPrompt), new HumanMessage(question)],
    // Tagged so that the tokens of a summary never reach the user's message stream.
    { tags: ["nostream", "langsmith:nostream"], signal: time.signal },
  );
  const text = messageText(await time.within(answer)).trim();
  return checked(text, { most: tokens * mostCharactersPerToken, asked: question });
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

/** A tool result that holds our closing tag, in whatever spelling, must not end the data early. */
function asData(text: string): string {
  return text.replace(
    /<(\s*\/?\s*)(conversation|record_so_far)\b/gi,
    (_, slash: string, name: string) => `<${slash}_${name}`,
  );
}

function pauseAfter(error: unknown): number {
  const { headers } = error as { headers?: { get?: (name: string) => unknown } & Record<string, unknown> };
  const asked = typeof headers?.get === "function" ? headers.get("retry-after") : headers?.["retry-after"];
  const seconds = Number(asked ?? 0);
  const wanted = Number.isFinite(seconds) ? seconds * 1_000 : 0;
  return Math.min(pauses.most, Math.max(pauses.least, wanted));
}

import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { mediaFile, summaryFiles, type Lane, type LaneOptions } from "../folds/archive-paths.js";
import { coverage, coversOthers, foldKwargs, foldOf, type Fold } from "../folds/fold.js";
import type { ArchiveWrite, Rewrite } from "../folds/rewrite.js";
import { historyMarkdown } from "../messages/history-markdown.js";
import { digest } from "../messages/message-id.js";
import { recordText } from "../messages/stored-message.js";
import { mediaOf } from "../messages/media.js";
import {
  contentBlocks,
  inlineText,
  innerBlock,
  isMediaBlock,
  messageText,
  type Block,
} from "../messages/text.js";
import { filePathOf, toolCalls } from "../messages/tool-calls.js";
import { hasUnspaced } from "../words/unspaced.js";
import { words } from "../words/words.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { SummaryPlan } from "./plan-summary.js";
import { emptySummary, renderSummary, summaryNotice, withoutUserLines } from "./summary.js";
import { userLines } from "./user-lines.js";
import { lazyRegExp } from "../once.js";

export interface ApplySummaryOptions extends LaneOptions {
  /** The summary text that the model reads, Markdown. */
  readonly text: string;
  /** `trim` for a fold without a summary. @default "summary" */
  readonly kind?: "summary" | "trim";
  /** Why the fold happens; stored with the fold. */
  readonly reason?: string | undefined;
  /** Tokens of the lines of folded user messages. @default defaults.userLineTokens */
  readonly userLineTokens?: number | undefined;
  /** The stand-in is `text` and nothing else: another harness has written it, and its model read it like that. @default false */
  readonly asRecorded?: boolean;
  readonly tokenCounter: TokenCounter;
}

/**
 * Returns the context in which one summary message replaces `plan.folded`, with the originals to archive first: a
 * lossless record (`.jsonl`) and a readable file (`.md`). The summary ends with a line of every folded user message,
 * whatever `text` says; no section of `text` is read as the user's.
 *
 * Pure. File names and ids are digests of the record, so the same plan always yields the same ones.
 */
export function applySummary(
  plan: SummaryPlan,
  { text, kind = "summary", reason, userLineTokens, asRecorded, tokenCounter, lane }: ApplySummaryOptions,
): Rewrite {
  const { content, readable, files, name, generation, about } = summaryRecord(plan, lane);
  const { path, record } = summaryFiles(generation, name, lane);
  const newest = plan.tail.at(-1)?.id ?? newestOf(plan.region);
  const draft: Fold = {
    id: `${kind}-${name}`,
    kind,
    path,
    record,
    ...coverage(plan.region, plan.carried),
    ...(newest === undefined ? {} : { newest }),
    generation,
    ...(about === "" ? {} : { about }),
    ...(reason === undefined ? {} : { reason }),
    tokensBefore: tokenCounter(plan.folded),
    tokensAfter: 0,
  };
  const shown =
    asRecorded === true
      ? text
      : withOurLines(text, plan.folded, { path: draft.path, userLineTokens, tokenCounter });
  const fold = { ...draft, tokensAfter: tokenCounter([new HumanMessage(shown)]) };
  const standIn = new HumanMessage({ id: fold.id, content: shown, additional_kwargs: foldKwargs(fold) });
  return {
    messages: [...plan.head, ...plan.carried, standIn, ...plan.tail],
    writes: [{ path: record, content }, { path, content: readable }, ...files],
    folds: [fold],
  };
}

/** Returns the text with the notice and the path above it, and the lines of the user's messages below. */
function withOurLines(
  text: string,
  folded: SummaryPlan["folded"],
  { path, userLineTokens, tokenCounter }: OurLinesOptions,
): string {
  const lines = userLines(folded, { tokens: userLineTokens, tokenCounter });
  const said = renderSummary({ ...emptySummary, userLines: lines });
  const parts = [`${summaryNotice}\nOriginals: ${path}`, withoutUserLines(text).trim(), said];
  return parts.filter((part) => part !== "").join("\n\n");
}

type OurLinesOptions = Pick<ApplySummaryOptions, "userLineTokens" | "tokenCounter"> & {
  readonly path: string;
};

/** A stand-in that is folded itself passes on the id of its message: a view is joined to its thread by that id. */
function newestOf(region: readonly BaseMessage[]): string | undefined {
  const last = region.at(-1);
  if (last === undefined || !coversOthers(last)) return last?.id;
  return foldOf(last)?.newest ?? last.id;
}

/** The archived part of a plan; independent of the summary text. */
export interface SummaryRecord {
  /** One stored message a line. */
  readonly content: string;
  /** The same messages as readable Markdown. */
  readonly readable: string;
  /** The images and files among them, so that they can be read again as what they were. */
  readonly files: readonly ArchiveWrite[];
  /** Digest of `content`. */
  readonly name: string;
  readonly generation: number;
  /** Topics of the folded messages, in a few words; may be empty. */
  readonly about: string;
}

function fileOf(block: Block, lane: Lane | undefined): ArchiveWrite | undefined {
  return mediaFile(mediaOf(block), lane);
}

const recordCache = new WeakMap<SummaryPlan, SummaryRecord & LaneOptions>();

/** Returns the archive record of a plan. Pure; cached, because a plan is often applied with several texts. */
export function summaryRecord(plan: SummaryPlan, lane?: Lane): SummaryRecord {
  const cached = recordCache.get(plan);
  if (cached !== undefined && cached.lane === lane) return cached;
  const content = recordText(plan.region);
  const media = plan.region.flatMap((message) => contentBlocks(message).map(innerBlock).filter(isMediaBlock));
  const files = new Map(media.flatMap((block) => fileOf(block, lane) ?? []).map((file) => [file.path, file]));
  const record: SummaryRecord = {
    content,
    readable: historyMarkdown(plan.region, (block) => fileOf(block, lane)?.path).toWellFormed(),
    files: [...files.values()],
    name: digest(content),
    generation:
      1 + plan.folded.reduce((newest, message) => Math.max(newest, foldOf(message)?.generation ?? 0), 0),
    about: topics(plan.folded),
  };
  recordCache.set(plan, { ...record, lane });
  return record;
}

/** Characters of each message that are scanned for topics. */
const scanned = 4_000;

/**
 * Returns the topics of messages, in about 120 characters at most: the files they touch most often, then their
 * distinctive words.
 *
 * Pure. A word that occurs in most messages ranks below one that recurs in a few.
 */
export function topics(messages: readonly BaseMessage[]): string {
  const fresh = messages.filter((message) => foldOf(message)?.generation === undefined);
  const files = new Map<string, number>();
  for (const call of fresh.flatMap((message) => toolCalls(message))) {
    const name = filePathOf(call)?.split(/[\\/]/).findLast(Boolean);
    if (name !== undefined) files.set(name, (files.get(name) ?? 0) + 1);
  }
  const topFiles = [...files].toSorted((a, b) => b[1] - a[1]).slice(0, 4);
  const chosen = [...topFiles.map(([name]) => name), ...ownWords(fresh)];
  return inlineText(chosen.slice(0, 7).join(", "), 120);
}

function ownWords(messages: readonly BaseMessage[]): readonly string[] {
  const counts = new Map<string, { count: number; last: number }>();
  messages.forEach((message, index) => {
    for (const word of longWords(messageText(message).slice(0, scanned))) {
      const known = counts.get(word);
      if (known === undefined) counts.set(word, { count: 1, last: index });
      else if (known.last !== index) {
        known.count++;
        known.last = index;
      }
    }
  });
  const value = (count: number) => count * Math.log(1 + messages.length / count);
  const ranked = [...counts].filter(([, { count }]) => count > 1 && count < messages.length * 0.7);
  return ranked.toSorted((a, b) => value(b[1].count) - value(a[1].count)).map(([word]) => word);
}

const startsWithLetter = lazyRegExp(String.raw`^\p{L}`, "u");

/** Lower-case words of five or more characters that start with a letter, and pairs of a script without spaces. ASCII text takes a path without Unicode tables. */
function longWords(text: string): readonly string[] {
  if (isAscii.test(text)) {
    const found = text.toLowerCase().match(asciiWord) ?? [];
    return found.filter((word) => word >= "a");
  }
  return words(text).filter(
    (word) => hasUnspaced(word) || (word.length > 4 && startsWithLetter().test(word)),
  );
}

// oxlint-disable-next-line no-control-regex -- the class is all of ASCII
const isAscii = /^[\u0000-\u007f]*$/;
const asciiWord = /[a-z_$][a-z0-9_$]{4,}/g;

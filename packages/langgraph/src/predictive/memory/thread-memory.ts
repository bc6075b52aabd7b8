import type { BaseMessage } from "@langchain/core/messages";
import { defaults, toolCalls, type ArchiveWrite, type TokenCounter } from "@palimpsest/context";
import {
  hasReasoningContent,
  isAi,
  isToolResult,
  pinOf,
  type PinOptions,
} from "@palimpsest/context/internal";
import { ReuseIndex, type IndexedChunk } from "@palimpsest/context/selection";
import { RangeSummaries, type StepPage } from "./range-summaries.js";
import { PaceMemory, type PaceMemoryOptions } from "../pace/pace-memory.js";
import {
  archivePage,
  archiveStep,
  pageSize,
  recordPath,
  textPath,
  type ArchivedEntry,
  type ArchivedSteps,
} from "./step-archive.js";
import { setNewest } from "../../set-newest.js";

interface ThreadMemoryOptions extends PinOptions {
  readonly candidateTokens?: number | undefined;
  /** Unit of the index's tokens. @default four characters a token */
  readonly tokenCounter?: TokenCounter;
  /** Facts to keep of each step for PACE. @default none */
  readonly pace?: PaceMemoryOptions | undefined;
}

/** Number of newest steps whose messages stay in memory, so that they can be sent whole. */
const recentSteps = 64;
/** Number of runs of steps whose archived entry stays in memory. */
const maxRuns = 512;

/**
 * The index of one thread's steps, and the archived entry of each.
 *
 * A cache: a pure function of the thread's messages, rebuilt from them or from the archive when it is missing or has another
 * past.
 */
export class ThreadMemory {
  readonly index: ReuseIndex;
  /** Facts of the steps for PACE; undefined with another policy. */
  readonly pace: PaceMemory | undefined;
  /** Summaries of ranges of steps, for reuse coverage. */
  readonly ranges = new RangeSummaries();
  /** Messages by step, of the steps that can be sent whole. */
  readonly #messages = new Map<number, readonly BaseMessage[]>();
  /** Archived entries by level: steps, pages of steps, pages of pages. */
  readonly #levels: ArchivedSteps[][] = [[]];
  /** Ids of the messages of all entered steps. */
  readonly #ids = new Set<string>();
  readonly #runs = new Map<string, ArchivedEntry>();
  readonly #candidateTokens: number;
  readonly #pins: PinOptions;
  #loopThinks = false;
  /** Files of steps and pages that may not be in the archive yet. */
  unwritten: readonly ArchiveWrite[] = [];
  /** Paths that the last selection refers to; they are in the archive. */
  archivedPaths: ReadonlySet<string> = new Set();
  /** Keys of the reasons that were already reported. */
  readonly reportedReasons = new Set<string>();
  lastId: string | undefined;
  /** What `gainedSince` compares the messages of the host with. If they have changed, the memory is of another past. */
  remembered: readonly string[] = [];

  constructor({ candidateTokens, tokenCounter, pace, ...pins }: ThreadMemoryOptions) {
    this.index = new ReuseIndex({
      ...(candidateTokens === undefined ? {} : { candidateTokens }),
      ...(tokenCounter === undefined ? {} : { tokenCounter }),
    });
    this.#pins = { ...pins, ...(tokenCounter === undefined ? {} : { tokenCounter }) };
    this.#candidateTokens = candidateTokens ?? defaults.candidateTokens;
    this.pace = pace === undefined ? undefined : new PaceMemory(pace);
  }

  /** Tokens of the thread that the index holds, in its unit: they take most of the memory. */
  get tokens(): number {
    const newest = this.index.chunks.at(-1);
    return newest === undefined ? 0 : Math.min(newest.before + newest.tokens, this.#candidateTokens);
  }

  /** Adds the newest messages of the thread. */
  append(messages: readonly BaseMessage[]): void {
    for (const step of stepsOf(messages)) this.#appendStep(step);
    this.lastId = messages.at(-1)?.id ?? this.lastId;
  }

  /** Returns the messages of a step that can be sent whole; undefined for another. */
  messagesOf(step: number): readonly BaseMessage[] | undefined {
    return this.canBeWhole(step) ? this.#messages.get(step) : undefined;
  }

  /** Returns the messages of a step that are still in memory, even if they cannot be sent whole. */
  keptMessagesOf(step: number): readonly BaseMessage[] {
    return this.#messages.get(step) ?? [];
  }

  /** Returns the id of a step's first message, while its messages are in memory. */
  firstIdOf(step: number): string | undefined {
    return this.#messages.get(step)?.[0]?.id;
  }

  /**
   * Returns whether a step can be sent whole. Depends only on the position of the step, so that a rebuilt memory decides the
   * same.
   */
  canBeWhole(step: number): boolean {
    const { chunks, users, pins } = this.index;
    const chunk = chunks[step];
    if (chunk === undefined) return false;
    return step >= chunks.length - recentSteps || users.includes(chunk) || pins.includes(chunk);
  }

  /** Returns the pinned steps; of the reads of pinned files, the newest that fit. */
  pinnedSteps(): readonly number[] {
    const steps = this.index.pins.map(({ index }) => ({ index, messages: this.keptMessagesOf(index) }));
    const pin = pinOf(
      steps.flatMap(({ messages }) => messages),
      this.#pins,
    );
    return steps.flatMap(({ index, messages }) => (hasPin(messages, pin) ? [index] : []));
  }

  /** Returns whether one of these messages has the id of a message that may have left the context. */
  hasAny(messages: readonly BaseMessage[]): boolean {
    return messages.some(({ id }) => id !== undefined && this.#ids.has(id));
  }

  /** Returns the archived entry of a step; undefined before {@link enter}. */
  entryOf(step: number): ArchivedSteps | undefined {
    return this.#levels[0]?.[step];
  }

  /** Returns the archived entry of a page of steps; undefined until the page is full. */
  pageOf({ first, size }: StepPage): ArchivedSteps | undefined {
    return this.#levels[Math.round(Math.log(size) / Math.log(pageSize))]?.[first / size];
  }

  /** Returns the path of a step's text; "" before {@link enter}. */
  textPathOf(step: number): string {
    const entry = this.entryOf(step);
    return entry === undefined ? "" : textPath(entry);
  }

  /**
   * Makes the entry of every step and every full page of steps that has none yet. Their files are `unwritten`, apart from those whose
   * record is one of `records`, which are in the archive.
   */
  enter(records: ReadonlySet<string> = new Set()): void {
    const steps = this.#levels[0] ?? [];
    const made: ArchivedEntry[] = [];
    for (let step = steps.length; step < this.index.chunks.length; step++) {
      const chunk = this.index.chunks[step];
      const messages = this.#messages.get(step);
      if (chunk === undefined || messages === undefined)
        throw new Error(`Step ${step} has no messages to archive`);
      const archived = archiveStep(chunk, messages);
      made.push(archived);
      steps.push(archived.entry);
      for (const id of archived.entry.covers) this.#ids.add(id);
      made.push(...this.#enterPages());
    }
    const missing = made.filter(({ entry }) => !records.has(recordPath(entry)));
    this.unwritten = [...this.unwritten, ...missing.flatMap(({ writes }) => writes)];
    for (const step of this.#messages.keys()) if (!this.canBeWhole(step)) this.#messages.delete(step);
  }

  /** Returns one entry for the steps from `start` to before `end`. Cached, because selections ask for the same runs again. */
  run(start: number, end: number): ArchivedEntry {
    const key = `${start}-${end}`;
    const run = this.#runs.get(key) ?? archivePage(this.cover(start, end), "runs");
    setNewest(this.#runs, [key, run], maxRuns);
    return run;
  }

  /** Returns the fewest archived entries that cover the steps from `start` to before `end`. */
  cover(start: number, end: number): readonly ArchivedSteps[] {
    const entries: ArchivedSteps[] = [];
    for (let at = start; at < end;) {
      let level = 0;
      let size = 1;
      while (at % (size * pageSize) === 0 && at + size * pageSize <= end) {
        if (this.#levels[level + 1]?.[at / (size * pageSize)] === undefined) break;
        size *= pageSize;
        level++;
      }
      const entry = this.#levels[level]?.[at / size];
      if (entry === undefined) throw new Error(`Step ${at} is not archived`);
      entries.push(entry);
      at += size;
    }
    return entries;
  }

  #enterPages(): readonly ArchivedEntry[] {
    const made: ArchivedEntry[] = [];
    for (let level = 0; ; level++) {
      const below = this.#levels[level] ?? [];
      if (below.length === 0 || below.length % pageSize !== 0) return made;
      const page = archivePage(below.slice(-pageSize));
      made.push(page);
      (this.#levels[level + 1] ??= []).push(page.entry);
    }
  }

  #appendStep(messages: readonly BaseMessage[]): void {
    const [head] = messages;
    if (head === undefined) return;
    if (head.getType() === "human") this.#loopThinks = false;
    const thinks = isAi(head) && hasReasoningContent(head);
    const isSystem = head.getType() === "system";
    // A tool loop stays with its reasoning; leading system messages stay together.
    const afterSystem = isSystem && this.index.chunks.at(-1)?.type === "system";
    const joined = afterSystem || (this.#loopThinks && !thinks);
    if (thinks) this.#loopThinks = true;
    const pinned = isSystem || hasPin(messages, pinOf(messages, this.#pins));
    const chunk = this.index.append(messages, { joined, pinned });
    this.#messages.set(chunk.index, messages);
    this.pace?.add(chunk);
    const own = new Set(toolCalls(head).map(({ id }) => id));
    for (const message of messages)
      if (isToolResult(message) && !own.has(message.tool_call_id))
        this.#joinToCaller(message.tool_call_id, chunk);
  }

  /** Joins a late result to its call, with every step between. */
  #joinToCaller(callId: string, { index }: IndexedChunk): void {
    for (let step = index - 1; step >= 0 && step >= index - recentSteps; step--) {
      const messages = this.#messages.get(step) ?? [];
      if (!messages.some((message) => toolCalls(message).some(({ id }) => id === callId))) continue;
      for (let between = step + 1; between <= index; between++) this.index.join(between);
      return;
    }
  }
}

function hasPin(messages: readonly BaseMessage[], pin: ReturnType<typeof pinOf>): boolean {
  return pin !== undefined && messages.some(pin);
}

/** Groups messages into steps: an AI message with its results, or one other message. */
function stepsOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const steps: BaseMessage[][] = [];
  for (const message of messages) {
    const last = steps.at(-1);
    if (isToolResult(message) && last?.[0] !== undefined && isAi(last[0])) last.push(message);
    else steps.push([message]);
  }
  return steps;
}

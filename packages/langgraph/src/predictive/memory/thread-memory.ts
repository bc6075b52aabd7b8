import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls, type TokenCounter } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import { ReuseIndex, type IndexedChunk } from "@palimpsest/context/selection";
import type { Archive } from "@palimpsest/vfs";
import { writeArchive } from "../../edge/commit.js";
import { RangeSummaries } from "./range-summaries.js";
import { PaceMemory, type PaceMemoryOptions } from "../pace/pace-memory.js";
import {
  archivePage,
  archiveStep,
  pageSize,
  pathOf,
  type ArchivedEntry,
  type ArchivedSteps,
} from "./step-archive.js";
import type { StepPage } from "./told-pages.js";

interface ThreadMemoryOptions {
  readonly candidateTokens?: number | undefined;
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Unit of the index. @default tokens of four characters */
  readonly tokenCounter?: TokenCounter;
  /** What is read of each step for PACE. @default nothing */
  readonly pace?: PaceMemoryOptions | undefined;
}

/** Newest steps whose messages are kept, so that they can be sent whole again. */
const recentSteps = 64;
/** Ranges of steps whose archived form is remembered. */
const mostRuns = 512;

/**
 * What is known of one thread: an index of its steps, and where each is in the archive.
 *
 * A cache and nothing more: it is a function of the thread's messages, and made anew from them or from the archive when
 * it is not there, or is of another past.
 */
export class ThreadMemory {
  readonly index: ReuseIndex;
  /** What PACE knows of the steps; undefined with another policy. */
  readonly pace: PaceMemory | undefined;
  /** Summaries of pages of steps, for reuse coverage. */
  readonly ranges = new RangeSummaries();
  /** Messages of steps that can be sent whole, by step. */
  readonly #messages = new Map<number, readonly BaseMessage[]>();
  /** Archived entries by level: steps, pages of steps, pages of pages. */
  readonly #levels: ArchivedSteps[][] = [[]];
  readonly #runs = new Map<string, ArchivedEntry>();
  readonly #pin: ((message: BaseMessage) => boolean) | undefined;
  #loopThinks = false;
  /** Files of the last context that are in the archive for certain. */
  written: ReadonlySet<string> = new Set();
  /** Causes of which the host knows that something does not fit. */
  readonly announced = new Set<string>();
  lastId: string | undefined;
  messageCount = 0;

  constructor({ candidateTokens, pin, tokenCounter, pace }: ThreadMemoryOptions) {
    this.index = new ReuseIndex({
      ...(candidateTokens === undefined ? {} : { candidateTokens }),
      ...(tokenCounter === undefined ? {} : { tokenCounter }),
    });
    this.#pin = pin;
    this.pace = pace === undefined ? undefined : new PaceMemory(pace);
  }

  /** Adds what the thread has got since. */
  append(messages: readonly BaseMessage[]): void {
    for (const step of stepsOf(messages)) this.#appendStep(step);
    this.messageCount += messages.length;
    this.lastId = messages.at(-1)?.id ?? this.lastId;
  }

  /** The messages of a step, where they can still be sent. */
  messagesOf(step: number): readonly BaseMessage[] | undefined {
    return this.canBeWhole(step) ? this.#messages.get(step) : undefined;
  }

  /** The messages of a step as far as they are kept, whether they can be sent or not. */
  keptMessagesOf(step: number): readonly BaseMessage[] {
    return this.#messages.get(step) ?? [];
  }

  /** Id of a step's first message, where its messages are kept. */
  firstIdOf(step: number): string | undefined {
    return this.#messages.get(step)?.[0]?.id;
  }

  /** By its place alone, so that a memory made anew decides the same. */
  canBeWhole(step: number): boolean {
    const { chunks, users, pins } = this.index;
    const chunk = chunks[step];
    if (chunk === undefined) return false;
    return step >= chunks.length - recentSteps || users.includes(chunk) || pins.includes(chunk);
  }

  /** Archived place of a step. Undefined before {@link archive}. */
  placeOf(step: number): ArchivedSteps | undefined {
    return this.#levels[0]?.[step];
  }

  /** Archived place of a page of steps, once it is full. */
  pageOf({ first, size }: StepPage): ArchivedSteps | undefined {
    return this.#levels[Math.round(Math.log(size) / Math.log(pageSize))]?.[first / size];
  }

  /** Path at which a step can be read; "" before {@link archive}. */
  pathOf(step: number): string {
    const place = this.placeOf(step);
    return place === undefined ? "" : pathOf(place);
  }

  /** Resolves when every step so far is in the archive, and every full page of them. Writes only what is new. */
  async archive(archive: Archive): Promise<void> {
    const steps = this.#levels[0] ?? [];
    for (let step = steps.length; step < this.index.chunks.length; step++) {
      const chunk = this.index.chunks[step];
      const messages = this.#messages.get(step);
      if (chunk === undefined || messages === undefined)
        throw new Error(`Step ${step} has no messages to archive`);
      const { entry, writes } = archiveStep(chunk, messages);
      await writeArchive(writes, archive);
      steps.push(entry);
      await this.#archivePages(archive);
    }
    for (const step of this.#messages.keys()) if (!this.canBeWhole(step)) this.#messages.delete(step);
  }

  /** Returns what archives the steps from `start` to before `end` as one; the same ranges are asked for again and again. */
  run(start: number, end: number): ArchivedEntry {
    const key = `${start}-${end}`;
    const made = this.#runs.get(key) ?? archivePage(this.cover(start, end), "runs");
    this.#runs.delete(key);
    this.#runs.set(key, made);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > mostRuns && oldest !== undefined) this.#runs.delete(oldest);
    return made;
  }

  /** Returns the fewest archived entries that together are the steps from `start` to before `end`. */
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

  async #archivePages(archive: Archive): Promise<void> {
    for (let level = 0; ; level++) {
      const below = this.#levels[level] ?? [];
      if (below.length === 0 || below.length % pageSize !== 0) return;
      const { entry, writes } = archivePage(below.slice(-pageSize));
      await writeArchive(writes, archive);
      (this.#levels[level + 1] ??= []).push(entry);
    }
  }

  #appendStep(messages: readonly BaseMessage[]): void {
    const [head] = messages;
    if (head === undefined) return;
    if (head.getType() === "human") this.#loopThinks = false;
    const thinks = isAi(head) && hasReasoning(head);
    const isSystem = head.getType() === "system";
    // Nothing of a loop stands without its reasoning; of several system messages at the start all stand there or none does.
    const afterSystem = isSystem && this.index.chunks.at(-1)?.type === "system";
    const joined = afterSystem || (this.#loopThinks && !thinks);
    if (thinks) this.#loopThinks = true;
    const pinned = isSystem || (this.#pin !== undefined && messages.some(this.#pin));
    const chunk = this.index.append(messages, { joined, pinned });
    this.#messages.set(chunk.index, messages);
    this.pace?.add(chunk);
    const own = new Set(toolCalls(head).map(({ id }) => id));
    for (const message of messages)
      if (isToolResult(message) && !own.has(message.tool_call_id))
        this.#joinToCaller(message.tool_call_id, chunk);
  }

  /** A late result stands or falls with its call and all between. */
  #joinToCaller(callId: string, { index }: IndexedChunk): void {
    for (let step = index - 1; step >= 0 && step >= index - recentSteps; step--) {
      const messages = this.#messages.get(step) ?? [];
      if (!messages.some((message) => toolCalls(message).some(({ id }) => id === callId))) continue;
      for (let between = step + 1; between <= index; between++) this.index.join(between);
      return;
    }
  }
}

/** Messages step by step: one of the model with its results, or one other. */
function stepsOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const steps: BaseMessage[][] = [];
  for (const message of messages) {
    const last = steps.at(-1);
    if (isToolResult(message) && last?.[0] !== undefined && isAi(last[0])) last.push(message);
    else steps.push([message]);
  }
  return steps;
}

/** True for a message with reasoning blocks of its own. */
export function hasReasoning({ content }: BaseMessage): boolean {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.some((block) =>
    /^(thinking|redacted_thinking|reasoning)/.test(String((block as { type?: unknown } | null)?.type)),
  );
}

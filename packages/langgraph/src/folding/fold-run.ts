import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type ArchiveWrite, type Fold, type ReadArchive } from "@palimpsest/context";
import {
  condense,
  consolidate,
  noFindings,
  quotedIn,
  unitFindings,
  type BlockOptions,
  type FoldUnit,
  type Run,
  type Stacked,
} from "@palimpsest/context/folding";
import { carriedIds, messagesOfRecord, withTombstones } from "@palimpsest/context/internal";
import type { CompactionReason } from "../context-event.js";
import type { ResolvedFoldOptions } from "./fold-options.js";
import type { MicroWriter } from "./micro-writer.js";

interface FoldRunOptions {
  readonly units: readonly FoldUnit[];
  /** Highest id of a block in the context. */
  readonly lastId: number;
  readonly blockOptions: BlockOptions;
  /** Interactions that wait for results. */
  readonly waiting: ReadonlySet<FoldUnit>;
  readonly options: ResolvedFoldOptions;
  readonly read: ReadArchive;
  readonly writer: MicroWriter;
}

/** The folds of one step, before anything is written: the new units, and what to archive first. */
export class FoldRun {
  units: readonly FoldUnit[];
  readonly writes: ArchiveWrite[] = [];
  readonly folds: Fold[] = [];

  readonly #blockOptions: BlockOptions;
  readonly #options: ResolvedFoldOptions;
  readonly #read: ReadArchive;
  readonly #writer: MicroWriter;
  readonly #waiting: ReadonlySet<FoldUnit>;
  #nextId: number;

  constructor({ units, lastId, blockOptions, waiting, options, read, writer }: FoldRunOptions) {
    this.#writer = writer;
    this.#waiting = waiting;
    this.units = units;
    this.#blockOptions = blockOptions;
    this.#options = options;
    this.#read = read;
    this.#nextId = lastId + 1;
  }

  /** Turns one interaction into a micro block, with the agent's own summary or an automatic one. */
  async condense(index: number, reason: CompactionReason, ownSummary?: string): Promise<void> {
    const unit = this.units[index];
    if (unit === undefined) return;
    const { microTokens, tokenCounter } = this.#options;
    const before = this.units.slice(0, index);
    // What the agent wants to keep of a step stands in its own summary.
    const isOwn = ownSummary !== undefined;
    const findings = isOwn ? noFindings : unitFindings(unit, { before, microTokens, tokenCounter });
    const text = ownSummary ?? (await this.#writer.write(unit, findings.all));
    const id = this.#nextId++;
    const options = { ...this.#blockOptions, id, microTokens, reason, text, findings };
    this.#replace({ from: index, to: index }, condense(unit, options));
  }

  /** Turns adjacent units into one macro block. Interactions among them become micro blocks first. */
  async consolidate({ from, to }: Run, reason: CompactionReason, text?: string): Promise<void> {
    for (let index = from; index <= to; index++) {
      if (this.units[index]?.kind === "raw" && !this.mustStay(index)) await this.condense(index, reason);
    }
    const units = this.units.slice(from, to + 1);
    const records = new Map<FoldUnit, readonly BaseMessage[]>();
    for (const unit of units) {
      const record = await this.#recordOf(unit);
      if (record !== undefined) records.set(unit, record);
    }
    const { macroTokens } = this.#options;
    const macro = consolidate(units, {
      ...this.#blockOptions,
      id: this.#nextId,
      macroTokens,
      reason,
      text,
      later: quotedIn(this.units.slice(to + 1)),
      recordOf: (unit) => records.get(unit),
    });
    this.#nextId += macro.inside.length + 1;
    this.writes.push(...macro.inside.flatMap(({ writes }) => writes));
    this.#replace({ from, to }, macro);
  }

  /** Returns whether an interaction stays verbatim: it is pinned, or waits for a result. */
  mustStay(index: number): boolean {
    const unit = this.units[index];
    if (unit === undefined) return false;
    const kept = (message: BaseMessage) =>
      message.id !== undefined && this.#blockOptions.kept.has(message.id);
    return this.#waiting.has(unit) || (unit.kind === "raw" && unit.messages.every(kept));
  }

  #replace({ from, to }: Run, { unit, fold, writes }: Stacked): void {
    this.units = [...this.units.slice(0, from), unit, ...this.units.slice(to + 1)];
    this.writes.push(...writes);
    this.folds.push(fold);
  }

  /**
   * Returns the record of a macro block, so that its parts are merged directly; undefined if it cannot be read, and the block
   * is nested instead.
   */
  async #recordOf({ messages }: FoldUnit): Promise<readonly BaseMessage[] | undefined> {
    const folds = messages.flatMap((message) => foldOf(message) ?? []);
    const fold = folds.find(({ kind }) => kind === "macro");
    const others = messages.filter((message) => foldOf(message) !== fold);
    if (fold?.record === undefined) return undefined;
    const carried = new Set(carriedIds(fold));
    if (others.some(({ id = "" }) => !carried.has(id))) return undefined;
    // The host may have edited a carried message since then: the new record takes it as it is now.
    const current = new Map(others.map((message) => [message.id, message]));
    const { record } = fold;
    try {
      const pending = this.writes.find(({ path }) => path === record)?.content;
      const originals = messagesOfRecord(pending ?? (await this.#read(record)), record);
      const removed = new Set(fold.removed);
      const left = originals.filter(({ id = "" }) => !removed.has(id));
      const now = left.map((original) => current.get(original.id) ?? original);
      // The blocks in the record have not been told what the host has removed since.
      return removed.size === 0 ? now : await withTombstones(now, this.#read);
    } catch {
      return undefined;
    }
  }
}

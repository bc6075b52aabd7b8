import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type ArchiveWrite, type Fold, type ReadArchive } from "@palimpsest/context";
import {
  condense,
  consolidate,
  type BlockMaking,
  type FoldUnit,
  type Run,
  type Stacked,
} from "@palimpsest/context/folding";
import { messagesOfRecord } from "@palimpsest/context/internal";
import type { CompactionReason } from "../edge/context-event.js";
import type { ResolvedFoldOptions } from "./fold-options.js";
import type { MicroWriter } from "./micro-writer.js";

/** A fold that was made, and why. */
export interface MadeFold {
  readonly fold: Fold;
  readonly reason: CompactionReason;
}

interface FoldRunOptions {
  readonly units: readonly FoldUnit[];
  readonly making: BlockMaking;
  /** Interactions whose results may still come. */
  readonly waiting: ReadonlySet<FoldUnit>;
  readonly options: ResolvedFoldOptions;
  readonly read: ReadArchive;
  readonly writer: MicroWriter;
}

/** The folds of one step, gathered before anything is written: the units as they would be, and what to archive first. */
export class FoldRun {
  units: readonly FoldUnit[];
  readonly writes: ArchiveWrite[] = [];
  readonly folds: MadeFold[] = [];

  readonly #making: BlockMaking;
  readonly #options: ResolvedFoldOptions;
  readonly #read: ReadArchive;
  readonly #writer: MicroWriter;
  readonly #waiting: ReadonlySet<FoldUnit>;
  #nextId: number;

  constructor({ units, making, waiting, options, read, writer }: FoldRunOptions) {
    this.#writer = writer;
    this.#waiting = waiting;
    this.units = units;
    this.#making = making;
    this.#options = options;
    this.#read = read;
    this.#nextId = 1 + Math.max(0, ...units.flatMap(({ block }) => block?.id ?? []));
  }

  /** Makes one interaction a micro block, with the agent's own summary or an automatic one. */
  async condense(index: number, reason: CompactionReason, given?: string): Promise<void> {
    const unit = this.units[index];
    if (unit === undefined) return;
    const { microTokens } = this.#options;
    const text = given ?? (await this.#writer.write(unit));
    const id = this.#nextId++;
    this.#replace(
      { from: index, to: index },
      condense(unit, { ...this.#making, id, microTokens, reason, text }),
      reason,
    );
  }

  /** Makes units in a row one macro block. Interactions among them become micro blocks first. */
  async consolidate({ from, to }: Run, reason: CompactionReason, text?: string): Promise<void> {
    for (let index = from; index <= to; index++) {
      if (this.units[index]?.kind === "raw" && !this.isHeld(index)) await this.condense(index, reason);
    }
    const units = this.units.slice(from, to + 1);
    const records = new Map<FoldUnit, readonly BaseMessage[]>();
    for (const unit of units) {
      const record = await this.#recordOf(unit);
      if (record !== undefined) records.set(unit, record);
    }
    const { macroTokens } = this.#options;
    const made = consolidate(units, {
      ...this.#making,
      id: this.#nextId,
      macroTokens,
      reason,
      text,
      recordOf: (unit) => records.get(unit),
    });
    this.#nextId += made.inside.length + 1;
    this.writes.push(...made.inside.flatMap(({ writes }) => writes));
    this.#replace({ from, to }, made, reason);
  }

  /** True for an interaction that stays verbatim: it is pinned, or a result of it may still come. */
  isHeld(index: number): boolean {
    const unit = this.units[index];
    if (unit === undefined) return false;
    const kept = (message: BaseMessage) => message.id !== undefined && this.#making.kept.has(message.id);
    return this.#waiting.has(unit) || (unit.kind === "raw" && unit.messages.every(kept));
  }

  #replace({ from, to }: Run, { unit, fold, writes }: Stacked, reason: CompactionReason): void {
    this.units = [...this.units.slice(0, from), unit, ...this.units.slice(to + 1)];
    this.writes.push(...writes);
    this.folds.push({ fold, reason });
  }

  /** What a macro block records. One that cannot be read is nested as it stands: deeper, but nothing is lost. */
  async #recordOf({ messages }: FoldUnit): Promise<readonly BaseMessage[] | undefined> {
    const folds = messages.flatMap((message) => foldOf(message) ?? []);
    const fold = folds.find(({ kind }) => kind === "macro");
    const others = messages.filter((message) => foldOf(message) !== fold);
    const isWhole = others.every(({ id }) => id !== undefined && fold?.carried?.includes(id) === true);
    if (fold?.record === undefined || !isWhole) return undefined;
    const { record } = fold;
    try {
      const pending = this.writes.find(({ path }) => path === record)?.content;
      return messagesOfRecord(pending ?? (await this.#read(record)), record);
    } catch {
      return undefined;
    }
  }
}

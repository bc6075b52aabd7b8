import { setImmediate as nextTurn } from "node:timers/promises";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import type { StepRow } from "../view.js";
import { mainNamespace, messagesAt } from "./read-state.js";
import { compactionOf, stepRow, type Snapshot } from "./step-row.js";

/** Steps at which a message was in the context word for word: positions in `rows`, both inclusive. */
export type Span = readonly [from: number, to: number];

/** Where a message stood: `from` and `to` are numbers of steps, 0 for the one that was the newest when reading began. */
interface OpenSpan {
  from: number;
  to: number;
}

/** The steps of a thread, read once and then continued. Keeps rows, not messages. */
export class ThreadHistory {
  readonly #saver: VfsSaver;
  readonly #threadId: string;
  #rows: StepRow[] = [];
  readonly #byId = new Map<string, number>();
  readonly #sight = new Map<string, OpenSpan[]>();
  #newest: Snapshot | undefined;
  /** The numbers of the first and the last row that were read. */
  #first = 1;
  #last = 0;
  #window: number | undefined;
  #isWhole = false;

  constructor(saver: VfsSaver, threadId: string) {
    this.#saver = saver;
    this.#threadId = threadId;
  }

  /** Oldest first. Whole once `read` has ended. */
  get rows(): readonly StepRow[] {
    return this.#rows;
  }

  /** Tokens of the window, where a middleware has recorded it. */
  get window(): number | undefined {
    return this.#window;
  }

  row(checkpointId: string): StepRow | undefined {
    const number = this.#byId.get(checkpointId);
    return number === undefined ? undefined : this.#rows.at(number - this.#last - 1);
  }

  /** Returns where a message stood in the context word for word, oldest first. */
  sight(messageId: string): readonly Span[] {
    const spans = this.#sight.get(messageId) ?? [];
    return spans
      .map(({ from, to }): Span => [from - this.#first, to - this.#first])
      .toSorted(([a], [b]) => a - b);
  }

  /** Reads all checkpoints, newest first. Others run in between. */
  async read(): Promise<void> {
    this.#restart();
    let chunk: StepRow[] = [];
    let newer: Snapshot | undefined;
    for await (const tuple of await this.#checkpoints()) {
      const snapshot = await this.#snapshot(tuple);
      this.#newest ??= snapshot;
      if (newer !== undefined) chunk.push(this.#earlier(newer, snapshot));
      newer = snapshot;
      if (chunk.length < (this.#rows.length === 0 ? firstChunk : chunkSize)) continue;
      this.#rows = [...chunk.toReversed(), ...this.#rows];
      chunk = [];
      await nextTurn();
    }
    if (newer !== undefined) chunk.push(this.#earlier(newer, undefined));
    this.#rows = [...chunk.toReversed(), ...this.#rows];
    this.#isWhole = true;
  }

  async #checkpoints(): Promise<AsyncIterable<CheckpointTuple>> {
    return this.#saver.history(this.#threadId, await mainNamespace(this.#saver, this.#threadId));
  }

  #restart(): void {
    this.#rows = [];
    [this.#first, this.#last] = [1, 0];
    this.#newest = undefined;
    this.#byId.clear();
    this.#sight.clear();
  }

  #earlier(snapshot: Snapshot, before: Snapshot | undefined): StepRow {
    const row = stepRow(snapshot, before);
    this.#first -= 1;
    this.#note(row, snapshot, this.#first);
    return row;
  }

  /** Returns the rows of the checkpoints that were written since, oldest first. */
  async readOn(): Promise<readonly StepRow[]> {
    const known = this.#newest?.tuple.checkpoint.id;
    if (!this.#isWhole || known === undefined) return [];
    const added: Snapshot[] = [];
    for await (const tuple of await this.#checkpoints()) {
      if (tuple.checkpoint.id <= known) break;
      added.unshift(await this.#snapshot(tuple));
    }
    return added.map((snapshot) => {
      const row = stepRow(snapshot, this.#newest);
      this.#newest = snapshot;
      this.#rows.push(row);
      this.#last += 1;
      this.#note(row, snapshot, this.#last);
      return row;
    });
  }

  async #snapshot(tuple: CheckpointTuple): Promise<Snapshot> {
    return { tuple, context: (await messagesAt(this.#saver, tuple)).context };
  }

  #note(row: StepRow, { tuple, context }: Snapshot, number: number): void {
    this.#byId.set(row.id, number);
    this.#window ??= compactionOf(tuple).contextWindow;
    for (const message of context) {
      if (message.id === undefined || foldOf(message) !== undefined) continue;
      const spans = this.#sight.get(message.id) ?? [];
      const last = spans.at(-1);
      if (last !== undefined && last.from === number + 1) last.from = number;
      else if (last !== undefined && last.to === number - 1) last.to = number;
      else spans.push({ from: number, to: number });
      this.#sight.set(message.id, spans);
    }
  }
}

/** Checkpoints that are read before others run. */
const chunkSize = 100;
/** The page shows the newest step as soon as it has these. */
const firstChunk = 5;

import { setImmediate as nextTurn } from "node:timers/promises";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import type { StepRow } from "../../view.js";
import { addTokens, contextChange, noTokens, type ContextChange } from "./context-change.js";
import type { ContextKeys } from "../context-keys.js";
import { messagesAt, runOf, type ThreadOrRun } from "../read-state.js";
import { Sights } from "./sights.js";
import { compactionOf, parentOf, stepRow, type Snapshot } from "./step-row.js";

/** Steps at which a message was in the context word for word: positions in `rows`, both inclusive. */
export type Span = readonly [from: number, to: number];

/**
 * The steps of one branch of a thread or of a run of a subgraph, read once and then continued: a checkpoint and all that it
 * descends from. Keeps rows, not messages. The number of a step never changes: 0 is the newest step when reading began, earlier
 * ones are negative.
 */
export class ThreadHistory {
  readonly #saver: VfsSaver;
  readonly #of: ThreadOrRun;
  readonly #tip: string | undefined;
  #rows: StepRow[] = [];
  readonly #byId = new Map<string, number>();
  readonly #folds = new Map<string, Fold>();
  #sights = new Sights();
  #newest: Snapshot | undefined;
  /** Id of the newest checkpoint of any branch that was read. */
  #seen = "";
  /** The numbers of the first and the last row. */
  #first = 1;
  #last = 0;
  #window: number | undefined;
  #keys: ContextKeys | undefined;
  #isWhole = false;
  #isLeft = false;

  /** `tip` is the newest checkpoint of the branch; by default the newest of all. */
  constructor(saver: VfsSaver, of: ThreadOrRun, tip?: string) {
    this.#saver = saver;
    this.#of = of;
    this.#tip = tip;
  }

  /** Oldest first. Complete after `read` has ended. */
  get rows(): readonly StepRow[] {
    return this.#rows;
  }

  /** Tokens of the window, if a middleware has recorded it. */
  get window(): number | undefined {
    return this.#window;
  }

  /** Whether a checkpoint was written since that belongs to another branch. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  row(checkpointId: string): StepRow | undefined {
    const number = this.#byId.get(checkpointId);
    return number === undefined ? undefined : this.#rows.at(number - this.#last - 1);
  }

  /** Returns the record of a fold that a row names. */
  fold(id: string): Fold | undefined {
    return this.#folds.get(id);
  }

  /** Returns the steps at which a message was in the context word for word, oldest first. */
  sight(messageId: string): readonly Span[] {
    const spans = this.#sights.spans(messageId, [this.#first, this.#last]);
    return spans.map(([from, to]) => [from - this.#first, to - this.#first]);
  }

  /** Reads all checkpoints, newest first. Yields to other tasks in between. */
  async read(): Promise<void> {
    this.#restart();
    let chunk: StepRow[] = [];
    let newer: Snapshot | undefined;
    let pauseAt = performance.now() + maxBusy;
    const flush = (): void => {
      this.#rows = [...chunk.toReversed(), ...this.#rows];
      chunk = [];
    };
    try {
      for await (const tuple of this.#branch()) {
        const context = await this.#context(tuple);
        if (newer === undefined) {
          newer = this.#newest = { tuple, context, tokens: addTokens(noTokens, context, []) };
          this.#sights.newest(context);
          continue;
        }
        const change = contextChange(context, newer.context);
        const snapshot = { tuple, context, tokens: addTokens(newer.tokens, change.removed, change.added) };
        chunk.push(this.#earlier(newer, snapshot, change));
        newer = snapshot;
        const isFirst = this.#rows.length === 0 && chunk.length >= firstChunk;
        if (!isFirst && performance.now() < pauseAt) continue;
        flush();
        await nextTurn();
        pauseAt = performance.now() + maxBusy;
      }
    } catch (error) {
      // The rows after a damaged checkpoint stay.
      flush();
      throw error;
    }
    if (newer !== undefined) chunk.push(this.#earlier(newer, undefined, contextChange([], newer.context)));
    flush();
    this.#isWhole = true;
  }

  async #checkpoints(): Promise<AsyncIterable<CheckpointTuple>> {
    const { threadId, namespace } = await runOf(this.#saver, this.#of);
    return this.#saver.history(threadId, namespace);
  }

  /** Yields the checkpoints of the branch, newest first. */
  async *#branch(): AsyncGenerator<CheckpointTuple> {
    let wanted = this.#tip;
    for await (const tuple of await this.#checkpoints()) {
      const { id } = tuple.checkpoint;
      if (this.#seen < id) this.#seen = id;
      if (wanted !== undefined && id !== wanted) continue;
      yield tuple;
      // A host may have written a checkpoint without naming its parent: then it is the one before.
      wanted = parentOf(tuple);
    }
  }

  #restart(): void {
    this.#rows = [];
    [this.#first, this.#last] = [1, 0];
    this.#newest = undefined;
    this.#seen = "";
    this.#byId.clear();
    this.#sights = new Sights();
  }

  /** Returns the row of a step, given the step before it. */
  #earlier(snapshot: Snapshot, before: Snapshot | undefined, change: ContextChange): StepRow {
    this.#first -= 1;
    if (before !== undefined) this.#sights.earlier(change, this.#first);
    this.#note(change);
    return this.#noted(snapshot, this.#first, stepRow(snapshot, before, change));
  }

  /** Keeps the records of folds, without the originals that some hold. */
  #note({ added }: ContextChange): void {
    for (const message of added) {
      const { held: _, ...fold } = foldOf(message) ?? {};
      if ("id" in fold && !this.#folds.has(fold.id)) this.#folds.set(fold.id, fold);
    }
  }

  #noted({ tuple }: Snapshot, number: number, row: StepRow): StepRow {
    this.#byId.set(row.id, number);
    this.#window ??= compactionOf(tuple).contextWindow;
    return row;
  }

  /** Returns the rows of the checkpoints that were added to the branch since, oldest first. */
  async readOn(): Promise<readonly StepRow[]> {
    const known = this.#newest;
    if (!this.#isWhole || known === undefined) return [];
    const added: Pick<Snapshot, "tuple" | "context">[] = [];
    for (const tuple of await this.#newTuples(known.tuple.checkpoint.id))
      added.push({ tuple, context: await this.#context(tuple) });
    let before = known;
    return added.map(({ tuple, context }) => {
      const change = contextChange(before.context, context);
      const snapshot = { tuple, context, tokens: addTokens(before.tokens, change.added, change.removed) };
      this.#sights.later(change, this.#last);
      this.#note(change);
      this.#last += 1;
      const row = this.#noted(snapshot, this.#last, stepRow(snapshot, before, change));
      this.#newest = before = snapshot;
      this.#rows.push(row);
      return row;
    });
  }

  /** Returns the checkpoints of any branch that were written since, as far as they continue this one, oldest first. */
  async #newTuples(tip: string): Promise<readonly CheckpointTuple[]> {
    const found: CheckpointTuple[] = [];
    for await (const tuple of await this.#checkpoints()) {
      if (tuple.checkpoint.id <= this.#seen) break;
      found.push(tuple);
    }
    this.#seen = found[0]?.checkpoint.id ?? this.#seen;
    const parents = new Map(
      found.map((tuple, at) => [tuple, parentOf(tuple) ?? found[at + 1]?.checkpoint.id ?? tip]),
    );
    const byId = new Map(found.map((tuple) => [tuple.checkpoint.id, tuple]));
    for (const newest of found) {
      const chain: CheckpointTuple[] = [];
      let at: CheckpointTuple | undefined = newest;
      for (; at !== undefined; at = byId.get(parents.get(at) ?? "")) chain.unshift(at);
      if (chain[0] !== undefined && parents.get(chain[0]) === tip) return chain;
      this.#isLeft = true;
    }
    return [];
  }

  async #context(tuple: CheckpointTuple): Promise<readonly BaseMessage[]> {
    const { context, keys } = await messagesAt(this.#saver, tuple, this.#keys);
    this.#keys = keys;
    return context;
  }
}

/** Milliseconds of reading before it yields to other tasks. */
const maxBusy = 20;
/** The page shows the newest step as soon as it has these. */
const firstChunk = 5;

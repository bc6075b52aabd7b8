import { at, copy, next, processes, source, stateBytes, steps, type ProcessAt } from "./model-state.js";

/** Wrong orders of effects, and missing ones, that the checker must notice. */
export const mistakes = [
  "put before the archive",
  "archive before the key",
  "key after the put",
  "prune keeps the epoch",
  "archive outside of the thread",
  "deletion of shared values",
  "copy of the archive before the checkpoints",
  "copy without the key",
  "copy that is not checked",
  "deletion of keys before the archive",
  "deletion of the archive before the checkpoints",
  "deletion under a run",
] as const;

export type Mistake = (typeof mistakes)[number];

/** How often each operation may begin. Steps are bounded by the size of a mask. */
export interface Bounds {
  readonly steps: number;
  readonly prunes: number;
  readonly copies: number;
  readonly deletions: number;
  readonly crashes: number;
}

type Visit = (label: string, state: Uint8Array) => void;

const bit = (step: number): number => 1 << step;
const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask);
const highest = (mask: number): number => 31 - Math.clz32(mask);
const get = (state: Uint8Array, offset: number): number => state[offset] ?? 0;

export function initialState({ steps: taken, prunes, copies, deletions, crashes }: Bounds): Uint8Array {
  const state = new Uint8Array(stateBytes);
  state.set([steps - taken, prunes, copies, deletions, crashes], at.taken);
  return state;
}

/**
 * The commit protocol: what a process may do next in a state, one effect on the storage at a time. A transaction of the engine is
 * one effect, and so is a call of the driver.
 */
export class CommitModel {
  readonly #mistake: Mistake | undefined;

  constructor(mistake?: Mistake) {
    this.#mistake = mistake;
  }

  /** Calls `visit` with every state that may follow. */
  successors(state: Uint8Array, visit: Visit): void {
    let isIdleSeen = false;
    for (let process = 0; process < processes; process++) {
      const isIdle = get(state, at.process(process).next) === next.idle;
      // Idle processes are alike.
      if (isIdle && isIdleSeen) continue;
      isIdleSeen ||= isIdle;
      const moves = new Moves(state, { process, mistake: this.#mistake, visit });
      if (isIdle) moves.begin();
      else moves.goOn();
    }
  }

  /** Returns what is wrong in a state; undefined if nothing is. Reads only what is stored, as after a crash of every process. */
  violation(state: Uint8Array): string | undefined {
    if (get(state, at.refused) > 0) return "a step of a whole thread was refused";
    for (const thread of [source, copy]) {
      const own = at.thread(thread);
      const checkpoints = get(state, own.checkpoints);
      if (get(state, own.acknowledged) & ~checkpoints) return "an acknowledged checkpoint is gone";
      for (let step = 0; step < steps; step++) {
        const isOther = thread === source && get(state, at.step(step).thread) === copy;
        if (get(state, own.files) & bit(step) && isOther) return "a thread sees another";
        if (!(checkpoints & bit(step))) continue;
        const wrong = this.#unreadable(state, thread, step);
        if (wrong !== undefined) return wrong;
      }
    }
    return undefined;
  }

  #unreadable(state: Uint8Array, thread: number, step: number): string | undefined {
    const { values, files, keys } = at.thread(thread);
    const folds = get(state, at.step(step).folds);
    if (get(state, at.step(step).values) & ~get(state, values)) return "a checkpoint lacks a value";
    if (folds & ~get(state, files)) return "a fold points at nothing";
    for (let fold = 0; fold < steps; fold++)
      if (folds & bit(fold) && !(get(state, keys) & bit(get(state, at.step(fold).key) - 1)))
        return "a fold without the key of its thread";
    return undefined;
  }
}

/** What an effect adds to numbers of the state, what its process notes, and what it adds to masks. */
type Effects = [
  changes?: Readonly<Record<number, number>>,
  notes?: Partial<Record<keyof ProcessAt, number>>,
  added?: readonly (readonly [mask: number, bits: number])[],
];

interface MovesOptions {
  readonly process: number;
  readonly mistake: Mistake | undefined;
  readonly visit: Visit;
}

/** The effects of one process in one state. */
class Moves {
  readonly #state: Uint8Array;
  readonly #mistake: Mistake | undefined;
  readonly #visit: Visit;
  readonly #own: ProcessAt;

  constructor(state: Uint8Array, { process, mistake, visit }: MovesOptions) {
    this.#state = state;
    this.#mistake = mistake;
    this.#visit = visit;
    this.#own = at.process(process);
  }

  begin(): void {
    for (const thread of [source, copy]) {
      this.#beginStep(thread);
      const { checkpoints, files, values } = at.thread(thread);
      const stored = this.#get(checkpoints);
      if (stored !== 0 && this.#get(at.prunes) > 0) this.#prune(thread, highest(stored));
      const isThere = stored !== 0 || this.#get(files) !== 0 || this.#get(values) !== 0;
      const isUsed =
        this.#isDeleted(thread) || (this.#isUsed(thread) && this.#mistake !== "deletion under a run");
      if (isThere && !isUsed && this.#get(at.deletions) > 0)
        this.#to("begins a deletion", next.deleteCheckpoints, { [at.deletions]: -1 }, { thread });
    }
    const isFree = this.#get(at.thread(copy).checkpoints) === 0 || this.#get(at.thread(copy).copying) > 0;
    if (this.#get(at.copies) > 0 && isFree && !this.#isDeleted(copy))
      this.#to("begins a copy", next.beginCopy, { [at.copies]: -1 }, { thread: copy });
  }

  goOn(): void {
    const thread = this.#mine("thread");
    this.#effects(thread)[this.#mine("next")]?.();
    if (this.#get(at.crashes) > 0) this.#to("is killed", next.idle, { [at.crashes]: -1 });
  }

  #effects(thread: number): Readonly<Record<number, () => void>> {
    const following = this.#mine("next");
    if (following >= next.deleteCheckpoints) return this.#deletionEffects(thread);
    return following >= next.beginCopy ? this.#copyEffects() : this.#stepEffects(thread);
  }

  /** A step follows any checkpoint, as a fork does; the first step of a thread follows none. */
  #beginStep(thread: number): void {
    const { checkpoints, copying, epoch } = at.thread(thread);
    const stored = this.#get(checkpoints);
    const step = this.#get(at.taken);
    const isOpen =
      !this.#isDeleted(thread) && this.#get(copying) === 0 && (stored !== 0 || thread === source);
    if (step >= steps || !isOpen) return;
    const bases = stored === 0 ? [undefined] : masked(stored);
    for (const base of bases) {
      const folds = base === undefined ? 0 : this.#get(at.step(base).folds);
      const values = base === undefined ? 0 : this.#get(at.step(base).values);
      const first = this.#mistake === "archive before the key" ? next.archive : next.readKey;
      const read = { thread, step, folds, values, epoch: this.#get(epoch) };
      this.#to("begins a step", first, { [at.taken]: 1, [at.step(step).thread]: thread }, read);
    }
  }

  #stepEffects(thread: number): Readonly<Record<number, () => void>> {
    const { files, keys } = at.thread(thread);
    const step = this.#mine("step");
    const own = bit(step);
    const [stored, mistake] = [this.#get(keys), this.#mistake];
    const afterKey =
      mistake === "archive before the key"
        ? next.put
        : mistake === "put before the archive"
          ? next.put
          : next.archive;
    const choose = () => this.#to("chooses a key", afterKey, {}, { key: lowest(stored) + 1 });
    return {
      [next.readKey]: () => {
        if (mistake === "key after the put") this.#to("makes a key", next.archive, {}, { key: step + 1 });
        else if (stored !== 0) choose();
        else this.#to("finds no key", next.expectKey);
      },
      [next.expectKey]: () =>
        this.#to("looks for files", (this.#get(files) | stored) === 0 ? next.storeKey : next.readKeyAgain),
      [next.readKeyAgain]: () => {
        if (stored !== 0) this.#to("finds a key", next.storeKey);
        else this.#to("misses the key", next.idle, { [at.refused]: 1 });
      },
      [next.storeKey]: () =>
        this.#to("stores its key", mistake === "key after the put" ? next.idle : next.chooseKey, {}, {}, [
          [keys, own],
        ]),
      [next.chooseKey]: () => (stored === 0 ? this.#to("lost its key", next.idle) : choose()),
      [next.archive]: () => this.#archive(thread, own),
      [next.put]: () => this.#put(thread, step),
    };
  }

  #archive(thread: number, own: number): void {
    const everywhere = this.#mistake === "archive outside of the thread" ? [source, copy] : [thread];
    const then =
      this.#mistake === "archive before the key"
        ? next.readKey
        : this.#mistake === "put before the archive"
          ? next.idle
          : next.put;
    const added = everywhere.map((each) => [at.thread(each).files, own] as const);
    this.#to("archives", then, {}, {}, added);
  }

  /** One transaction. Where values were collected since it has read, it is refused and sends all values again. */
  #put(thread: number, step: number): void {
    const { checkpoints, values, acknowledged, epoch } = at.thread(thread);
    const known = this.#mine("values");
    const sent = bit(step) | (this.#get(epoch) === this.#mine("epoch") ? 0 : known);
    const row = at.step(step);
    const written = {
      [row.folds]: this.#mine("folds") | bit(step),
      [row.values]: known | bit(step),
      [row.key]: this.#mine("key"),
    };
    const then =
      this.#mistake === "put before the archive"
        ? next.archive
        : this.#mistake === "key after the put"
          ? next.storeKey
          : next.idle;
    const added = [checkpoints, acknowledged].map((mask) => [mask, bit(step)] as const);
    this.#to("puts", then, written, {}, [...added, [values, sent]]);
  }

  /** One transaction. */
  #prune(thread: number, newest: number): void {
    const { checkpoints, values, acknowledged, epoch } = at.thread(thread);
    const state = this.#copyOf({
      [at.prunes]: -1,
      [epoch]: this.#mistake === "prune keeps the epoch" ? 0 : 1,
    });
    state[checkpoints] = bit(newest);
    state[values] = get(state, at.step(newest).values) & get(state, values);
    state[acknowledged] = get(state, acknowledged) & bit(newest);
    this.#visit("prunes", state);
  }

  #copyEffects(): Readonly<Record<number, () => void>> {
    const [from, to] = [at.thread(source), at.thread(copy)];
    const [checkpoints, files] = [this.#mine("checkpoints"), this.#mine("files")];
    const isEarly = this.#mistake === "copy of the archive before the checkpoints";
    const list = { files: this.#get(from.files), keys: this.#get(from.keys) };
    return {
      [next.beginCopy]: () =>
        this.#to("marks the copy", isEarly ? next.listSource : next.readSource, {
          [to.copying]: 1 - this.#get(to.copying),
        }),
      [next.readSource]: () => {
        const read = { checkpoints: this.#get(from.checkpoints), folds: this.#get(from.checkpoints) };
        if (read.checkpoints === 0) this.#to("finds nothing to copy", next.idle);
        else this.#to("reads the thread", next.copyValues, {}, read);
      },
      [next.copyValues]: () => {
        const needed = masked(checkpoints).reduce((all, step) => all | this.#get(at.step(step).values), 0);
        if (needed & ~this.#get(from.values)) this.#to("reads the thread again", next.readSource);
        else
          this.#to(
            "copies values",
            isEarly ? next.checkSource : next.listSource,
            {},
            { epoch: this.#get(to.epoch) },
            [[to.values, needed]],
          );
      },
      [next.listSource]: () => this.#to("lists files", next.copyKeys, {}, list),
      [next.copyKeys]: () =>
        this.#to("copies keys", next.copyFile, {}, {}, [
          [to.keys, this.#mistake === "copy without the key" ? 0 : this.#mine("keys") & this.#get(from.keys)],
        ]),
      [next.copyFile]: () => {
        const isUnchecked = this.#mistake === "copy that is not checked";
        const then = isEarly ? next.readSource : isUnchecked ? next.copyCheckpoint : next.checkSource;
        if (files === 0) return this.#to("has copied files", then);
        const file = files & -files;
        this.#to("copies a file", next.copyFile, {}, { files: files - file }, [
          [to.files, file & this.#get(from.files)],
        ]);
      },
      [next.copyCheckpoint]: () => {
        if (this.#get(to.epoch) !== this.#mine("epoch")) return this.#to("meets a collection", next.idle);
        if (checkpoints === 0) return this.#to("has copied all", next.endCopy);
        const checkpoint = checkpoints & -checkpoints;
        this.#to("copies a checkpoint", next.copyCheckpoint, {}, { checkpoints: checkpoints - checkpoint }, [
          [to.checkpoints, checkpoint],
        ]);
      },
      [next.checkSource]: () =>
        this.#to(
          "checks the source",
          this.#get(from.checkpoints) & checkpoints ? next.copyCheckpoint : next.idle,
        ),
      [next.endCopy]: () => {
        const isWhole = this.#get(to.epoch) === this.#mine("epoch");
        const newest = isWhole ? bit(highest(this.#mine("folds"))) : 0;
        this.#to("ends the copy", next.idle, { [to.copying]: -this.#get(to.copying) }, {}, [
          [to.acknowledged, newest],
        ]);
      },
    };
  }

  #deletionEffects(thread: number): Readonly<Record<number, () => void>> {
    const { checkpoints, values, acknowledged, epoch, files, keys, copying } = at.thread(thread);
    const [listed, isKeyFirst] = [
      this.#mine("files"),
      this.#mistake === "deletion of keys before the archive",
    ];
    const isLate = this.#mistake === "deletion of the archive before the checkpoints";
    return {
      [next.deleteCheckpoints]: () => {
        if (isLate && this.#mine("key") === 0) return this.#to("delays", next.listDeleted, {}, { key: 1 });
        const state = this.#after(isLate ? next.idle : next.listDeleted, { [epoch]: 1 }, { thread });
        const other = at.thread(1 - thread).values;
        if (this.#mistake === "deletion of shared values")
          state[other] = get(state, other) & ~get(state, values);
        for (const mask of [checkpoints, values, acknowledged]) state[mask] = 0;
        this.#visit("deletes checkpoints", state);
      },
      [next.listDeleted]: () =>
        this.#to(
          "lists files",
          isKeyFirst ? next.deleteKeys : next.deleteFile,
          {},
          {
            files: this.#get(files),
            keys: this.#get(keys),
          },
        ),
      [next.deleteFile]: () => {
        const isLast = listed === 0;
        const then = isKeyFirst ? next.idle : next.deleteKeys;
        if (isLast) return this.#to("has deleted files", then);
        const state = this.#after(next.deleteFile, {}, { files: listed & (listed - 1) });
        state[files] = get(state, files) & ~(listed & -listed);
        this.#visit("deletes a file", state);
      },
      [next.deleteKeys]: () => {
        const then = isKeyFirst ? next.deleteFile : isLate ? next.deleteCheckpoints : next.idle;
        const state = this.#after(then, { [copying]: -this.#get(copying) });
        state[keys] = get(state, keys) & ~this.#mine("keys");
        this.#visit("deletes keys", state);
      },
    };
  }

  /** True while a process deletes the thread. */
  #isDeleted(thread: number): boolean {
    return this.#some((following, of) => of === thread && following >= next.deleteCheckpoints);
  }

  /** True while a process takes a step of the thread or copies to it: the host waits for it before it deletes the thread. */
  #isUsed(thread: number): boolean {
    return this.#some((following, of) => of === thread && following !== next.idle);
  }

  #some(test: (following: number, thread: number) => boolean): boolean {
    for (let process = 0; process < processes; process++) {
      const { next: following, thread } = at.process(process);
      if (test(this.#get(following), this.#get(thread))) return true;
    }
    return false;
  }

  #get(offset: number): number {
    return get(this.#state, offset);
  }

  #mine(field: keyof ProcessAt): number {
    return this.#get(this.#own[field]);
  }

  #copyOf(changes: Readonly<Record<number, number>>): Uint8Array {
    const state = this.#state.slice();
    for (const offset in changes)
      state[Number(offset)] = get(state, Number(offset)) + (changes[Number(offset)] ?? 0);
    return state;
  }

  /** Returns the state with added numbers and what this process notes. An idle process remembers nothing. */
  #after(
    following: number,
    changes: Readonly<Record<number, number>> = {},
    notes: Partial<Record<keyof ProcessAt, number>> = {},
  ): Uint8Array {
    const state = this.#copyOf(changes);
    for (const [field, value] of Object.entries(notes)) state[this.#own[field as keyof ProcessAt]] = value;
    state[this.#own.next] = following;
    if (following === next.idle) for (const offset of Object.values(this.#own)) state[offset] = 0;
    return state;
  }

  #to(label: string, following: number, ...[changes, notes, added = []]: Effects): void {
    const state = this.#after(following, changes, notes);
    for (const [mask, bits] of added) state[mask] = get(state, mask) | bits;
    this.#visit(label, state);
  }
}

function masked(mask: number): number[] {
  const found: number[] = [];
  for (let rest = mask; rest !== 0; rest &= rest - 1) found.push(lowest(rest));
  return found;
}

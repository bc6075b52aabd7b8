import type { SearchOptions } from "../backend.js";

const defaultTimeLimit = 5_000;

/** Milliseconds for which all searches of the process together hold the event loop before other work has its turn. */
const turnLength = 40;

let turnEnd: number | undefined;
const waiting: (() => void)[] = [];

/** True when the searches have used up their turn of the event loop. A turn begins with the first question in it. */
function isTurnOver(): boolean {
  if (turnEnd === undefined) {
    turnEnd = performance.now() + turnLength;
    setImmediate(() => (turnEnd = undefined));
    return false;
  }
  return performance.now() >= turnEnd;
}

/** Resolves in a later pass of the event loop. One search goes on in each pass, in the order in which they asked. */
async function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(wakeOne);
  });
}

function wakeOne(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) setImmediate(wakeOne);
  resume?.();
}

/** Options that a search over several mounts passes to its parts. */
export interface PartOptions extends SearchOptions {
  /** The pace of the whole search. @default a pace for this part */
  readonly pace?: Pace | undefined;
  /** Returns the path by which a note names a file of the part. @default the file's own */
  readonly pathOf?: ((path: string) => string) | undefined;
}

/** Ends a search that has used up its time. Its result is what it has found so far. */
export class SearchEnd extends Error {}

/**
 * The time of one search. The search asks `isDue` between steps of a few milliseconds and awaits `rest` when it is, so that
 * no number of searches holds the event loop for longer than a turn and a step.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #limit: number;
  readonly #start = performance.now();
  #waited = 0;

  constructor({ signal, timeLimit = defaultTimeLimit }: SearchOptions) {
    this.#signal = signal;
    this.#limit = timeLimit > 0 ? timeLimit : 0;
  }

  get isDue(): boolean {
    return isTurnOver() || this.#signal?.aborted === true;
  }

  /** True when the search has used up its time. */
  get isSpent(): boolean {
    return performance.now() - this.#start - this.#waited >= this.#limit;
  }

  /** Returns the note of a search that has used up its time at a path. */
  endNote(path: string): string {
    return (
      `The search ended at ${path} after ${this.#limit / 1000} s of computing; what comes after is not searched. ` +
      "Narrow the pattern, the path or the glob."
    );
  }

  /** Lets other work run. Throws the reason of an aborted signal, and a SearchEnd when the time is used up. */
  async rest(): Promise<void> {
    this.#signal?.throwIfAborted();
    if (this.isSpent) throw new SearchEnd();
    await this.pause();
  }

  /**
   * Lets other work run, for the steps that complete a result after the time is used up. Throws the reason of an aborted
   * signal.
   */
  async pause(): Promise<void> {
    this.#signal?.throwIfAborted();
    const since = performance.now();
    await nextTurn();
    this.#waited += performance.now() - since;
    this.#signal?.throwIfAborted();
  }

  /** Yields the items of a source without counting the waits for it. Lets other work run in between. */
  async *over<T>(source: AsyncIterable<T>): AsyncIterable<T> {
    const items = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        if (this.isDue) await this.rest();
        const since = performance.now();
        const next = await items.next();
        this.#waited += performance.now() - since;
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await items.return?.();
    }
  }
}

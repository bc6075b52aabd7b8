import type { VfsSaver } from "@palimpsest/checkpoint";
import { InspectorError } from "../inspector-error.js";
import { tupleAt, type ThreadOrRun } from "../reading/read-state.js";
import { ThreadReader } from "../reading/thread-reader.js";

/** Readers that stay in memory. Each holds one thread, or one run of a subgraph, unfolded. */
const maxReaders = 3;

/** The readers of the threads that were opened last. */
export class ThreadReaders {
  readonly saver: VfsSaver;
  readonly #readers = new Map<string, ThreadReader>();

  constructor(saver: VfsSaver) {
    this.saver = saver;
  }

  /** Throws an InspectorError for a thread or a run that is not there. */
  async of(of: ThreadOrRun): Promise<ThreadReader> {
    const key = JSON.stringify(of);
    const known = this.#readers.get(key);
    this.#readers.delete(key);
    if (known === undefined) await this.#check(of);
    const reader = known ?? new ThreadReader(this.saver, of);
    this.#readers.set(key, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
    return reader;
  }

  async #check(of: ThreadOrRun): Promise<void> {
    const thread = typeof of === "string" ? of : of.threadId;
    if (!(await this.saver.threads()).includes(thread))
      throw new InspectorError(`There is no thread ${JSON.stringify(thread)}.`);
    if (typeof of !== "string") await tupleAt(this.saver, of);
  }
}

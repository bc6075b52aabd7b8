import type { VfsSaver } from "@palimpsest/checkpoint";
import { InspectorError } from "../inspector-error.js";
import { ThreadReader } from "../reading/thread-reader.js";

/** Readers that stay in memory. Each holds one thread unfolded. */
const maxReaders = 3;

/** The readers of the threads that were looked at last. */
export class ThreadReaders {
  readonly saver: VfsSaver;
  readonly #readers = new Map<string, ThreadReader>();

  constructor(saver: VfsSaver) {
    this.saver = saver;
  }

  /** Throws an InspectorError for a thread that is not there. */
  async of(thread: string): Promise<ThreadReader> {
    const known = this.#readers.get(thread);
    this.#readers.delete(thread);
    if (known === undefined && !(await this.saver.threads()).includes(thread)) {
      throw new InspectorError(`There is no thread ${JSON.stringify(thread)}.`);
    }
    const reader = known ?? new ThreadReader(this.saver, thread);
    this.#readers.set(thread, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
    return reader;
  }
}

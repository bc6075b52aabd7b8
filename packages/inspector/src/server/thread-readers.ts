import type { VfsSaver } from "@palimpsest/checkpoint";
import { InspectorError } from "../inspector-error.js";
import { tupleAt, type ThreadOrRun } from "../reading/read-state.js";
import { tipOf } from "../reading/timeline/list-branches.js";
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

  /**
   * Returns the reader of the branch of a checkpoint, by default the newest. Throws an InspectorError for a thread, a run or a
   * checkpoint that is not there.
   */
  async of(of: ThreadOrRun, branch?: string): Promise<ThreadReader> {
    const key = JSON.stringify([of, branch]);
    const known = await this.#current(key, branch);
    this.#readers.delete(key);
    if (known === undefined) await this.#check(of);
    const reader = known ?? new ThreadReader(this.saver, of, await this.#tip(of, branch));
    this.#readers.set(key, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
    return reader;
  }

  /** Returns the reader that is known. The newest branch may be another one since. */
  async #current(key: string, branch: string | undefined): Promise<ThreadReader | undefined> {
    const known = this.#readers.get(key);
    if (branch !== undefined || known === undefined) return known;
    await known.readOn();
    return known.history.isLeft ? undefined : known;
  }

  async #tip(of: ThreadOrRun, branch: string | undefined): Promise<string | undefined> {
    if (branch === undefined) return undefined;
    const tip = await tipOf(this.saver, of, branch);
    if (tip === undefined) throw new InspectorError(`The thread has no checkpoint ${branch}.`);
    return tip;
  }

  async #check(of: ThreadOrRun): Promise<void> {
    const thread = typeof of === "string" ? of : of.threadId;
    if (!(await this.saver.threads()).includes(thread))
      throw new InspectorError(`There is no thread ${JSON.stringify(thread)}.`);
    if (typeof of !== "string") await tupleAt(this.saver, of);
  }
}

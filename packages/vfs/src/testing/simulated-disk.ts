import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** What a power failure loses of what was not synced. */
export const losses = ["nothing", "the contents", "all"] as const;
export type Loss = (typeof losses)[number];

/**
 * Knows what of a directory is synced, without syncing it, and ends the process of a test: from a call on, every call that
 * changes the disk fails. A file is synced with its content, a directory with its names. Linux only.
 */
export class SimulatedDisk {
  calls = 0;
  /** Holds a sync of a path back until it resolves. */
  delay: ((path: string) => Promise<void> | undefined) | undefined;
  #killedAt = Number.POSITIVE_INFINITY;
  readonly #contents = new Map<number, Buffer>();
  readonly #names = new Map<string, Map<string, number>>();

  killAt(call: number): void {
    this.#killedAt = call;
  }

  /** Wraps a function that changes the disk. */
  readonly counted =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      if (this.calls++ >= this.#killedAt) throw new Error("killed");
      return work(...given);
    };

  /** Stands in for the sync of an open file. */
  async sync(descriptor: number): Promise<void> {
    const path = readlinkSync(`/proc/self/fd/${descriptor}`);
    await this.delay?.(path);
    this.counted(() => this.#remember(path))();
  }

  #remember(path: string): void {
    const stats = lstatSync(path);
    if (stats.isFile()) this.#contents.set(stats.ino, readFileSync(path));
    else this.#names.set(path, new Map(readdirSync(path).map((name) => [name, inodeOf(join(path, name))])));
  }

  /** Writes what is left of a directory after a power failure to a new place. */
  copyAfter(loss: Loss, from: string, to: string): void {
    mkdirSync(to, { recursive: true });
    const synced = this.#names.get(realpathSync(from)) ?? new Map<string, number>();
    for (const name of readdirSync(from)) {
      const [source, target] = [join(from, name), join(to, name)];
      const inode = inodeOf(source);
      if (loss === "all" && synced.get(name) !== inode) continue;
      if (lstatSync(source).isDirectory()) this.copyAfter(loss, source, target);
      else if (loss === "nothing") writeFileSync(target, readFileSync(source));
      else writeFileSync(target, this.#contents.get(inode) ?? "");
    }
  }
}

function inodeOf(path: string): number {
  return lstatSync(join(realpathSync(dirname(path)), basename(path))).ino;
}

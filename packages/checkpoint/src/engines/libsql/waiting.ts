/** So many bytes make a bundle: as far as deflate looks back. */
const bundleBytes = 32_768;

/** Values that stand alone until there are enough of them for a bundle. */
export class Waiting {
  /** An id may be given again when its row was deleted. */
  #ids = new Set<number>();
  /** Before they were packed. */
  #bytes = 0;

  get isEnough(): boolean {
    return this.#bytes >= bundleBytes;
  }

  add(id: number, bytes: number): void {
    this.#ids.add(id);
    this.#bytes += bytes;
  }

  take(): Iterable<number> {
    const ids = this.#ids;
    this.#ids = new Set();
    this.#bytes = 0;
    return ids;
  }
}

/** A set of states by 64-bit fingerprints: of ten million states, two share one with a probability of 1 in 300,000. */
export class StateSet {
  size = 0;
  #low = new Uint32Array(1 << 16);
  #high = new Uint32Array(1 << 16);

  /** Adds a state; returns false if it was there. */
  add(state: Uint8Array): boolean {
    if (this.size * 2 > this.#low.length) this.#grow();
    let [low, high] = [0x811c9dc5, 0x9e3779b9];
    for (const byte of state) {
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul(high ^ byte, 0x85ebca6b);
      high ^= high >>> 15;
    }
    const isNew = this.#insert(low >>> 0, (high ^ (low >>> 13) || 1) >>> 0);
    if (isNew) this.size += 1;
    return isNew;
  }

  #insert(low: number, high: number): boolean {
    const mask = this.#low.length - 1;
    for (let at = (low ^ Math.imul(high, 0x9e3779b1)) & mask; ; at = (at + 1) & mask) {
      // A zero marks a free place.
      if (this.#high[at] === 0) {
        this.#low[at] = low;
        this.#high[at] = high;
        return true;
      }
      if (this.#low[at] === low && this.#high[at] === high) return false;
    }
  }

  #grow(): void {
    const [lows, highs] = [this.#low, this.#high];
    this.#low = new Uint32Array(lows.length * 2);
    this.#high = new Uint32Array(lows.length * 2);
    for (const [at, high] of highs.entries()) if (high !== 0) this.#insert(lows[at] ?? 0, high);
  }
}

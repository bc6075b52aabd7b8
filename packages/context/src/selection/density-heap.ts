/** A value with how much it is worth for its size. */
export interface Rated<Value> {
  readonly value: Value;
  readonly density: number;
}

/** Hands out the densest first. Filled at once in O(n); adding and taking cost O(log n). */
export class DensityHeap<Value> {
  readonly #items: Rated<Value>[];

  constructor(items: readonly Rated<Value>[]) {
    this.#items = [...items];
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Density of the next one, or -Infinity. */
  get best(): number {
    return this.#items[0]?.density ?? -Infinity;
  }

  push(item: Rated<Value>): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.density >= item.density) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  take(): Value | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return first.value;
  }

  #sink(start: number): void {
    const items = this.#items;
    const item = items[start];
    if (item === undefined) return;
    let at = start;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = (items[right]?.density ?? -Infinity) > (items[left]?.density ?? -Infinity) ? right : left;
      const below = items[child];
      if (below === undefined || below.density <= item.density) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}

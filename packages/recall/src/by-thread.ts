/** Returns what belongs to each thread, in its order. Pure. */
export function byThread<Item extends { readonly thread: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const threads = new Map<string, Item[]>();
  for (const item of items) {
    const own = threads.get(item.thread);
    if (own === undefined) threads.set(item.thread, [item]);
    else own.push(item);
  }
  return threads;
}

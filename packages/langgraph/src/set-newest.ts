/**
 * Sets a key of a map as its newest, and deletes the oldest key where the map has more than `most`: what a process remembers of its
 * threads is bounded.
 */
export function setNewest<Key, Value>(
  map: Map<Key, Value>,
  [key, value]: readonly [key: Key, value: Value],
  most: number,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

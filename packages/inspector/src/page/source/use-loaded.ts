import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: string;
}

interface Owned<T> extends Loaded<T> {
  readonly owner: readonly unknown[];
}

/**
 * Loads a value whenever one of `owner` or of `keys` changes. Keeps the last value until the next one arrives, but never shows
 * the value of another owner: `owner` names what the value belongs to, for example a source and a thread. `owner` and `keys`
 * have a fixed length.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
  owner: readonly unknown[] = [],
): Loaded<T> {
  const [loaded, setLoaded] = useState<Owned<T>>({ owner, value: undefined, error: "" });
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setLoaded({ owner, value, error: "" }),
      (error: unknown) => isCurrent && setLoaded({ owner, value: undefined, error: String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...owner, ...keys]);
  const isOwn = owner.every((part, at) => part === loaded.owner[at]);
  return isOwn ? loaded : { value: undefined, error: "" };
}

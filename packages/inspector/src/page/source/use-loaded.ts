import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: string;
}

/** Loads a value whenever one of `keys` changes. Keeps the last value until the next one arrives. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: "" });
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setLoaded({ value, error: "" }),
      (error: unknown) => isCurrent && setLoaded({ value: undefined, error: String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, keys);
  return loaded;
}

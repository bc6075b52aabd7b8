import { useEffect, useState } from "preact/hooks";
import type { ThreadView } from "../../view.js";
import type { Source } from "./source.js";

/** Milliseconds between two looks for new threads, and how many times as long as the last look took. */
const [pause, factor] = [2_000, 20];

export interface Threads {
  readonly threads: readonly ThreadView[];
  readonly isRead: boolean;
  readonly error: string;
}

/** Returns the threads, newest first, and looks for new ones while the page is in sight. */
export function useThreads(source: Source): Threads {
  const [found, setFound] = useState<Threads>({ threads: [], isRead: false, error: "" });
  useEffect(() => {
    let [isCurrent, timer] = [true, 0];
    const look = async (): Promise<void> => {
      const start = performance.now();
      if (!document.hidden)
        await source.threads().then(
          (threads) => isCurrent && setFound({ threads, isRead: true, error: "" }),
          // The timeline says that the server does not answer.
          (error: unknown) =>
            isCurrent &&
            setFound((known) => (error instanceof TypeError ? known : { ...known, error: String(error) })),
        );
      if (!isCurrent || source.isFile) return;
      timer = setTimeout(() => void look(), Math.max(pause, factor * (performance.now() - start)));
    };
    void look();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [source]);
  return found;
}

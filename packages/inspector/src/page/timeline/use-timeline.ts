import { useEffect, useState } from "preact/hooks";
import type { StepRow } from "../../view.js";
import type { Source } from "../source/source.js";

export interface Timeline {
  /** Oldest first. */
  readonly rows: readonly StepRow[];
  /** False until all earlier steps have arrived. */
  readonly isWhole: boolean;
  /** Tokens. */
  readonly window: number | null;
  readonly error: string;
}

/** A timeline and its thread or run. */
interface Followed extends Timeline {
  readonly source?: Source;
  readonly thread?: string;
}

const none: Timeline = { rows: [], isWhole: false, window: null, error: "" };

/** Follows the timeline of a thread: the existing steps, then those that the agent adds. */
export function useTimeline(source: Source, thread: string): Timeline {
  const [timeline, setTimeline] = useState<Followed>(none);
  useEffect(() => {
    if (thread === "") return undefined;
    setTimeline({ ...none, source, thread });
    const stop = new AbortController();
    const fail = (error: unknown): void => {
      if (!stop.signal.aborted) setTimeline((known) => ({ ...known, isWhole: true, error: String(error) }));
    };
    const follow = source.timeline(
      thread,
      (line) => {
        if (stop.signal.aborted) return;
        setTimeline((known) => {
          if (line.type === "earlier") return { ...known, rows: [...line.rows, ...known.rows] };
          if (line.type === "later") return { ...known, rows: [...known.rows, ...line.rows] };
          if (line.type === "error") return { ...known, isWhole: true, error: line.message };
          return { ...known, isWhole: true, window: line.window };
        });
      },
      stop.signal,
    );
    follow.catch(fail);
    return () => stop.abort();
  }, [source, thread]);
  // Do not look up steps of one thread in the next one.
  return timeline.source === source && timeline.thread === thread ? timeline : none;
}

import { useEffect, useMemo, useState } from "preact/hooks";
import { callPositions, type CallPositions } from "../../shared/call-positions.js";
import { firstSeen } from "../../shared/first-seen.js";
import type { LaneView, StepRow, TimelineLine } from "../../view.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface Timeline {
  /** Oldest first. */
  readonly rows: readonly StepRow[];
  readonly calls: CallPositions;
  /** The subagents of the thread; empty until they are known. */
  readonly lanes: readonly LaneView[];
  /** False until all earlier steps have arrived. */
  readonly isWhole: boolean;
  /** False while the server does not answer. The page tries again. */
  readonly isConnected: boolean;
  /** Tokens. */
  readonly window: number | null;
  readonly error: string;
}

type Read = Omit<Timeline, "calls" | "lanes">;

/** A timeline and its thread or run. */
interface Followed extends Read {
  readonly source?: Source;
  readonly thread?: string;
}

const noLanes: readonly LaneView[] = [];
/** New steps of a thread after which its subagents are read again. */
const refreshed = 20;
const none: Read = { rows: [], isWhole: false, isConnected: true, window: null, error: "" };
/** Milliseconds before the page asks again a server that does not answer. */
const again = 1_000;

/** Follows the timeline of a thread: the existing steps, then those that the agent adds. */
export function useTimeline(source: Source, thread: string): Timeline {
  const [timeline, setTimeline] = useState<Followed>(none);
  useEffect(() => {
    if (thread === "") return undefined;
    setTimeline({ ...none, source, thread });
    const stop = new AbortController();
    void follow({ source, thread, stop: stop.signal }, (change) => {
      if (!stop.signal.aborted) setTimeline((known) => ({ ...known, ...change(known) }));
    });
    return () => stop.abort();
  }, [source, thread]);
  // Do not look up steps of one thread in the next one.
  const current = timeline.source === source && timeline.thread === thread ? timeline : none;
  const { rows: read, isWhole } = current;
  const { value: lanes = noLanes } = useLoaded(
    async () => (isWhole ? source.lanes(thread) : noLanes),
    [isWhole, Math.ceil(read.length / refreshed)],
    [source, thread],
  );
  const rows = useMemo(() => (isWhole ? firstSeen(read, lanes) : read), [read, lanes, isWhole]);
  const calls = useMemo(() => callPositions(rows), [rows]);
  return { ...current, rows, calls, lanes };
}

interface Followable {
  readonly source: Source;
  readonly thread: string;
  readonly stop: AbortSignal;
}

/** Reads until the signal aborts. Shows what was read before until a new reading is whole. */
async function follow(
  { source, thread, stop }: Followable,
  change: (next: (known: Read) => Partial<Read>) => void,
): Promise<void> {
  for (let isFirst = true; !stop.aborted; isFirst = false) {
    let [state, isMoved]: [Read, boolean] = [none, false];
    const onLine = (line: TimelineLine): void => {
      isMoved ||= line.type === "moved";
      state = withLine(state, line);
      const next = state;
      change(() => (isFirst || next.isWhole ? next : {}));
    };
    try {
      await source.timeline(thread, onLine, stop);
      // A report has no server to follow.
      if (source.isFile) return;
      if (isMoved) continue;
      change(() => ({ isConnected: false }));
    } catch (error) {
      const text = String(error);
      // A failed fetch is a TypeError; others are answers of the server.
      if (!(error instanceof TypeError)) return change(() => ({ isWhole: true, error: text }));
      change(() => ({ isConnected: false }));
    }
    await new Promise((resolve) => setTimeout(resolve, again));
  }
}

function withLine(known: Read, line: TimelineLine): Read {
  if (line.type === "earlier") return { ...known, rows: [...line.rows, ...known.rows] };
  if (line.type === "later") return { ...known, rows: [...known.rows, ...line.rows] };
  if (line.type === "moved") return known;
  if (line.type === "error") return { ...known, isWhole: true, error: line.message };
  return { ...known, isWhole: true, window: line.window };
}

import { useEffect, useRef, useState } from "preact/hooks";
import type { ArchiveSize, StepRow, ThreadView } from "../../view.js";
import { bytes, count, plain, time } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface ThreadListProps {
  readonly source: Source;
  readonly threads: readonly ThreadView[];
  readonly thread: string;
  /** The newest step of the chosen thread. Undefined until it has loaded, so that counting the archive delays nothing. */
  readonly newest: StepRow | undefined;
  /** Whether that step belongs to a run of a subgraph, so that it may not be the newest of the thread. */
  readonly isRun: boolean;
  /** Whether the chosen step is shown completely. Only then are the archives of all threads counted, which takes long for many. */
  readonly isShown: boolean;
  readonly onSelect: (thread: string) => void;
}

/** All threads, newest first. Asks once what their archives hold, after the first step is shown. */
export function ThreadList({ source, threads, thread, newest, isRun, isShown, onSelect }: ThreadListProps) {
  const hasShown = useRef(false);
  hasShown.current ||= newest !== undefined && isShown;
  const load = async () => (hasShown.current ? source.archives() : []);
  const { value: archives = [] } = useLoaded(load, [source, hasShown.current]);
  const byThread = new Map(archives.map((one) => [one.thread, one]));
  return (
    <nav aria-label="Threads">
      {threads.map((one) => (
        <button
          key={one.thread}
          class={`thread${one.thread === thread ? " selected" : ""}`}
          aria-current={one.thread === thread ? "page" : undefined}
          onClick={() => onSelect(one.thread)}
        >
          <b>{plain(one.thread)}</b>
          <span class="dim" title={one.damage && plain(one.damage)}>
            {one.damage === undefined
              ? time((one.thread === thread && !isRun && newest?.at) || one.newest)
              : "damaged"}
          </span>
          {newest !== undefined && one.thread === thread ? (
            <Size source={source} thread={thread} newest={newest.id} known={byThread.get(thread)} />
          ) : (
            <Archive size={byThread.get(one.thread)} />
          )}
        </button>
      ))}
    </nav>
  );
}

interface SizeProps extends Pick<ThreadListProps, "source" | "thread"> {
  /** Id of its newest checkpoint. */
  readonly newest: string;
  /** What is shown until the thread is counted. */
  readonly known: ArchiveSize | undefined;
}

/** What the chosen thread holds. Counted again whenever an agent has paused: counting reads every checkpoint. */
function Size({ source, thread, newest, known }: SizeProps) {
  const { value } = useLoaded(async () => source.size(thread), [thread, useSettled(newest)]);
  return (
    <>
      <Archive size={value ?? known} />
      {value && (
        <span class="dim">
          {count(value.checkpoints)} checkpoints, {count(value.archiveFiles)} archive files
        </span>
      )}
    </>
  );
}

/** Milliseconds. */
const pause = 2_000;

/** Returns a value after it has not changed for the pause; the first one immediately. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Archive({ size }: { readonly size: ArchiveSize | undefined }) {
  return (
    <span class="dim">
      {size && `${count(size.folds)} ${size.folds === 1 ? "fold" : "folds"}, ${bytes(size.archiveBytes)}`}
    </span>
  );
}

import type { ThreadView } from "../../view.js";
import { bytes, count, plain, time } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface ThreadListProps {
  readonly source: Source;
  readonly threads: readonly ThreadView[];
  readonly thread: string;
  /** Whether the chosen thread is read, so that counting what it holds delays nothing. */
  readonly isRead: boolean;
  readonly onSelect: (thread: string) => void;
}

/** All threads, the newest first. */
export function ThreadList({ source, threads, thread, isRead, onSelect }: ThreadListProps) {
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
          <span class="dim">{time(one.newest)}</span>
          {isRead && one.thread === thread && <Size source={source} thread={thread} />}
        </button>
      ))}
    </nav>
  );
}

function Size({ source, thread }: Pick<ThreadListProps, "source" | "thread">) {
  const { value } = useLoaded(async () => source.size(thread), [thread]);
  if (value === undefined) return null;
  return (
    <span class="dim">
      {count(value.checkpoints)} checkpoints, {count(value.archiveFiles)} archive files,{" "}
      {bytes(value.archiveBytes)}
    </span>
  );
}

/** What a task cost the rest of its process. */
export interface Hold<T> {
  readonly value: T;
  /** The most CPU milliseconds that the process spent between two passes of the event loop. */
  readonly longest: number;
  /** CPU milliseconds of the whole task. */
  readonly total: number;
}

/** Measures in CPU time: other processes of the machine delay a pass, but do not add to it. */
export async function measureHold<T>(task: () => Promise<T>): Promise<Hold<T>> {
  let longest = 0;
  let isOver = false;
  const start = process.cpuUsage();
  let last = start;
  const watch = (): void => {
    const now = process.cpuUsage();
    longest = Math.max(longest, milliseconds(now) - milliseconds(last));
    last = now;
    if (!isOver) setImmediate(watch);
  };
  await new Promise((resolve) => setImmediate(resolve));
  last = process.cpuUsage();
  setImmediate(watch);
  const value = await task();
  isOver = true;
  watch();
  return { value, longest, total: milliseconds(process.cpuUsage()) - milliseconds(start) };
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

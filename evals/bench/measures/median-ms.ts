export interface MedianOptions {
  /** @default 9 */
  readonly rounds?: number;
  /** Rounds before the first that counts. @default 2 */
  readonly warmUp?: number;
  /** Called before each round, not measured. */
  readonly prepare?: () => void | Promise<void>;
}

/** Returns the median of the milliseconds that a run takes. */
export function medianMs(run: () => unknown, options?: MedianOptions): Promise<number> {
  return medianOf(run, () => performance.now(), options);
}

/** Returns the median CPU milliseconds of a run in this process. Other load on the machine does not count. */
export function medianCpuMs(run: () => unknown, options?: MedianOptions): Promise<number> {
  return medianOf(run, cpuMs, options);
}

/** Returns the CPU milliseconds of this process so far: other load on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function medianOf(
  run: () => unknown,
  now: () => number,
  { rounds = 9, warmUp = 2, prepare }: MedianOptions = {},
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < warmUp + rounds; round++) {
    await prepare?.();
    const start = now();
    await run();
    if (round >= warmUp) times.push(now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

export interface MedianOptions {
  /** @default 9 */
  readonly rounds?: number;
  /** Rounds before the first that counts. @default 2 */
  readonly warmUp?: number;
  /** Called before each round, not measured. */
  readonly prepare?: () => void | Promise<void>;
}

/** Returns the median of the milliseconds that a run takes. */
export async function medianMs(run: () => unknown, options: MedianOptions = {}): Promise<number> {
  const { rounds = 9, warmUp = 2, prepare } = options;
  const times: number[] = [];
  for (let round = 0; round < warmUp + rounds; round++) {
    await prepare?.();
    const start = performance.now();
    await run();
    if (round >= warmUp) times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

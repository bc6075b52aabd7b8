import type { MedianOptions } from "./median-ms.js";

/** Returns the median of the milliseconds of CPU that a run takes in this process: what else the machine does is not in it. */
export async function medianCpuMs(run: () => unknown, options: MedianOptions = {}): Promise<number> {
  const { rounds = 9, warmUp = 2, prepare } = options;
  const times: number[] = [];
  for (let round = 0; round < warmUp + rounds; round++) {
    await prepare?.();
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    if (round >= warmUp) times.push((user + system) / 1_000);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

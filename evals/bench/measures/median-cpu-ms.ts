import type { MedianOptions } from "./median-ms.js";

/** Returns the median CPU milliseconds of a run in this process. Other load on the machine does not count. */
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

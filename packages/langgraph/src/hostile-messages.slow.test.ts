import { expect, it } from "vitest";
import { faultsOfEvery, hostileStrategies } from "./testing/play-hostile.js";

/** Each strategy plays every so many of the messages; 1 plays all of them, in a quarter of an hour. @default 31 */
const every = Number(process.env["PALIMPSEST_EVERY"] ?? 31);

it.each(hostileStrategies)(
  "a hostile message leaves every prompt inside the window or told of, and every thread whole: %s",
  async (strategy) => {
    const { played, faults } = await faultsOfEvery(strategy, every);
    expect(played).toBeGreaterThan(30);
    expect(faults).toEqual([]);
  },
  1_000_000,
);

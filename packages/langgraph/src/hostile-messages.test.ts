import { hostileMessages } from "@palimpsest/context/testing";
import { describe, expect, it } from "vitest";
import { faultsOf, faultsOfEvery, hostileStrategies, hugeCharacters } from "./testing/play-hostile.js";

/** A sample; the slow test plays ten times as many. */
const every = 331;

describe("a message that a reducer lets in, with one field absent, null, of a wrong type, huge, deep or cyclic", () => {
  it.each(hostileStrategies)(
    "leaves every prompt inside the window or told of, and every thread whole: %s",
    async (strategy) => {
      const { played, faults } = await faultsOfEvery(strategy, every);
      expect(played).toBeGreaterThan(2);
      expect(faults).toEqual([]);
    },
  );

  it.each(["ladder", "folding", "predictive context", "middleware: ladder"])(
    "that a parser of LangChain makes of a model's arguments does not end compaction: %s",
    async (strategy) => {
      const named = hostileMessages(hugeCharacters).filter(({ name }) =>
        /^call (args|name): (null|absent|deep object)/.test(name),
      );
      expect(named).toHaveLength(6);
      expect(await faultsOf(strategy, named)).toEqual([]);
    },
  );
});

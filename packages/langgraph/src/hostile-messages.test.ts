import { hostileMessages } from "@palimpsest/context/testing";
import { describe, expect, it } from "vitest";
import { hostileFault, hostileStrategies, hugeCharacters } from "./testing/play-hostile.js";

/** Each strategy plays every so many of the messages, each another part of them. */
const every = 97;

describe("a message that a reducer lets in, with one field absent, null, of a wrong type, huge, deep or cyclic", () => {
  it.each(hostileStrategies.map((strategy, at) => ({ strategy, at })))(
    "leaves every prompt inside the window or told of, and every thread whole: $strategy",
    async ({ strategy, at }) => {
      const played = hostileMessages(hugeCharacters).filter((_, index) => index % every === at);
      expect(played.length).toBeGreaterThan(9);
      const faults: string[] = [];
      for (const hostile of played) {
        const fault = await hostileFault(strategy, hostile);
        if (fault !== undefined) faults.push(`${hostile.name}: ${fault}`);
      }
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it.each(["ladder", "folding", "predictive context", "middleware: ladder"])(
    "that a parser of LangChain makes of a model's arguments does not end compaction: %s",
    async (strategy) => {
      const named = hostileMessages(hugeCharacters).filter(({ name }) =>
        /^call (args|name): (null|absent|deep object)/.test(name),
      );
      expect(named).toHaveLength(6);
      const faults: string[] = [];
      for (const hostile of named) {
        const fault = await hostileFault(strategy, hostile);
        if (fault !== undefined) faults.push(`${hostile.name}: ${fault}`);
      }
      expect(faults).toEqual([]);
    },
  );
});

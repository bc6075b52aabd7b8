import { expect, it } from "vitest";
import { attack } from "./attack.js";
import type { FaultRow } from "./archive-faults.js";
import type { ForgedRow } from "./forged-state.js";
import { reportAttack } from "./report-attack.js";

interface Numbers {
  readonly faults: readonly FaultRow[];
  readonly forged: readonly ForgedRow[];
}

it("a failing archive and a forged state send no prompt over the window, lose nothing and show no other thread, and the suite notices each of these", async () => {
  const result = await attack({ quick: true, args: [], progress: () => undefined });
  expect(result.tables.map(({ title }) => title)).not.toContain("Forgeries that reached something");
  expect(result).toMatchObject({ suite: "attack", passed: true });
  expect(result.cases).toBeGreaterThan(25);
  const { faults, forged } = result.numbers as Numbers;
  const withFault = (change: Partial<FaultRow>) =>
    reportAttack([{ ...faults[0]!, ...change }, ...faults], forged);
  const withForged = (change: Partial<ForgedRow>) =>
    reportAttack(faults, [{ ...forged[0]!, ...change }, ...forged]);
  expect(withFault({}).passed).toBe(true);
  for (const change of [
    { over: 1 },
    { lostDuring: 1 },
    { lostAfter: 1 },
    { heldAfter: 1 },
    { isSame: false },
  ])
    expect(withFault(change).passed).toBe(false);
  for (const change of [{ broken: true }, { over: 1 }, { foreignBytes: 1 }])
    expect(withForged(change).passed).toBe(false);
  expect(reportAttack(faults.slice(0, 1), forged).passed).toBe(false);
});

import { expect, it } from "vitest";
import { benches } from "./benches.js";
import { barsOf } from "./delta-channels.js";

it.each(["offload", "index", "search", "steps", "threads", "load", "encryption"])(
  "the small version of the bench %s holds",
  async (name) => {
    const bench = await benches[name]?.();
    const result = await bench?.({ quick: true, args: [], progress: () => undefined });
    expect(result).toMatchObject({ suite: name, passed: true });
    expect(result?.cases).toBeGreaterThan(0);
  },
);

const cost = {
  content: "text",
  steps: 1,
  bytesPerStep: 1,
  factor: 1,
  putCpuMs: 1,
  stepCpuMs: 1,
  getCpuMs: 1,
};

const theirs = { ...cost, rival: "SqliteSaver, delta", bytes: 5 };

it.each([
  { name: "holds where we store as much", bytes: 5, others: [theirs], holds: true },
  { name: "is missed where we store more", bytes: 6, others: [theirs], holds: false },
  { name: "is missed where the other was not measured", bytes: 5, others: [], holds: false },
])("a bar on the bytes of delta channels $name", ({ bytes, others, holds }) => {
  const costs = [...others, { ...cost, rival: "VfsSaver", bytes }];
  expect(barsOf({ costs, survivals: [] })).toMatchObject([{ ours: bytes, holds }]);
});

it("the bars on delta channels are missed for each fact that does not survive", () => {
  const pruned = { outcome: "silent", of: 2, read: 1, bytesBefore: 2, bytesAfter: 1 } as const;
  const damaged = { exact: 0, noticed: 0, silent: 1 };
  const survival = {
    rival: "VfsSaver",
    isOurs: true,
    forks: { reads: 2, wrong: ["a fork"] },
    parallel: { runs: 2, reordered: 1 },
    prune: pruned,
    deletion: pruned,
    flips: damaged,
    drops: damaged,
  };
  const bars = barsOf({ costs: [], survivals: [survival, { ...survival, isOurs: false }] });
  expect(bars.map(({ holds }) => holds)).toEqual(Array.from({ length: 6 }, () => false));
});

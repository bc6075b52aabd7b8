import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "./memory-storage.js";
import { rivals, type Rival } from "./rivals.js";
import { damage, dropRow, flipBit } from "./survive-damage.js";
import { forkReads, wrongReads } from "./survive-forks.js";
import { reordered } from "./survive-parallel.js";
import { prunedByHand, prunedByItself } from "./survive-pruning.js";

function named(name: string): Rival {
  const rival = rivals.find((each) => each.name === name);
  if (!rival) throw new Error(`There is no rival ${name}`);
  return rival;
}

/** Replays what every older checkpoint wrote, also on branches that were abandoned. */
class Confused extends MemorySaver {
  override async getDeltaChannelHistory({
    config,
    channels,
  }: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const writes: DeltaChannelHistory["writes"] = [];
    for await (const { pendingWrites = [] } of this.list(
      { configurable: { thread_id: "bench" } },
      { before: config },
    ))
      writes.unshift(...pendingWrites.filter(([, channel]) => channels.includes(channel)));
    return Object.fromEntries(channels.map((channel) => [channel, { writes }]));
  }
}

describe("the comparison with delta channels", () => {
  it("notices a saver that replays an abandoned branch into a fork", async () => {
    const confused: Rival = {
      ...named("MemorySaver, delta"),
      create: () => ({
        ...memoryStorage(),
        open: () => ({ saver: new Confused(), close: async () => undefined }),
      }),
    };
    const expected = await forkReads(named("MemorySaver"));
    expect(wrongReads(await forkReads(confused), expected)).toContainEqual(
      expect.stringContaining("a new message"),
    );
    expect(wrongReads(await forkReads(named("VfsSaver, delta")), expected)).toEqual([]);
    expect(expected.size).toBeGreaterThan(50);
  });

  it("tells lost messages from an error, and both from a thread that is whole", async () => {
    expect(await prunedByHand(named("MemorySaver"))).toMatchObject({ outcome: "exact" });
    expect(await prunedByHand(named("MemorySaver, delta"))).toMatchObject({ outcome: "silent" });
    expect(await prunedByHand(named("SqliteSaver, delta"))).toMatchObject({ outcome: "silent" });
    expect(await prunedByHand(named("VfsSaver, delta"))).toMatchObject({ outcome: "noticed" });
    expect(await prunedByItself(named("VfsSaver, delta"))).toMatchObject({ outcome: "exact", read: 40 });
    expect(await prunedByItself(named("SqliteSaver"))).toBeUndefined();
  });

  it.each([["MemorySaver, delta"], ["SqliteSaver"]])(
    "damages %s, which gives back other messages",
    async (name) => {
      expect((await damage(named(name), 4, flipBit)).silent).toBeGreaterThan(0);
      expect((await damage(named(name), 4, dropRow)).silent).toBeGreaterThan(0);
    },
  );

  it.each([["VfsSaver"], ["VfsSaver, delta"]])("damages %s, which says so", async (name) => {
    expect(await damage(named(name), 4, flipBit)).toEqual({ exact: 0, noticed: 4, silent: 0 });
    expect(await damage(named(name), 4, dropRow)).toMatchObject({ silent: 0 });
  });

  it("finds no order of parallel writers that changes on VfsSaver", async () => {
    expect(await reordered(named("VfsSaver, delta"), 3)).toBe(0);
  });
});

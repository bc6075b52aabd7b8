import { ERROR, INTERRUPT, RESUME, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testedSavers } from "../testing/savers.js";
import { sharedDatabases } from "../testing/shared-savers.js";
import type { VfsSaver } from "./vfs-saver.js";

const channels = fc.constantFrom("messages", "files", ERROR, INTERRUPT, RESUME);
const call = fc.record({
  taskId: fc.constantFrom("0f8fad5b-d9cb-469f-a165-70867728950e", "task"),
  writes: fc.array(fc.tuple(channels, fc.oneof(fc.integer(), fc.constant("long ".repeat(300)))), {
    minLength: 1,
    maxLength: 4,
  }),
});

async function checkpointIn(saver: VfsSaver, threadId: string): Promise<RunnableConfig> {
  const checkpoint = {
    v: 4,
    id: "1ef4f797-8335-6428-8001-8a1503f9b875",
    ts: new Date(0).toISOString(),
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
  const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  return saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {});
}

async function pending(saver: VfsSaver, config: RunnableConfig): Promise<string[]> {
  const { pendingWrites = [] } = (await saver.getTuple(config)) ?? {};
  return pendingWrites.map((write) => JSON.stringify(write)).sort();
}

describe.each(testedSavers)("writes of a task on $name", ({ create }) => {
  it("keep the first value at each index; errors and interrupts keep the last", async () => {
    const saver = await create();
    let threads = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
        const config = await checkpointIn(saver, `t${threads++}`);
        const expected = new Map<string, string>();
        for (const { taskId, writes } of calls) {
          await saver.putWrites(config, writes, taskId);
          for (const [position, [channel, value]] of writes.entries()) {
            const index = WRITES_IDX_MAP[channel] ?? position;
            const key = `${taskId} ${index}`;
            if (index < 0 || !expected.has(key)) expected.set(key, JSON.stringify([taskId, channel, value]));
          }
        }
        expect(await pending(saver, config)).toEqual([...expected.values()].sort());
      }),
      { numRuns: 15 },
    );
    await saver.close();
  });
});

describe.each(sharedDatabases)("two processes that write for one task on $name", ({ create }) => {
  it("lose none of the writes", async () => {
    const open = await create();
    const savers = [await open(), await open()] as const;
    const config = await checkpointIn(savers[0], "t");
    await Promise.all(
      [ERROR, INTERRUPT, RESUME, "messages"].map(async (channel, index) =>
        savers[index % 2 === 0 ? 0 : 1].putWrites(config, [[channel, `${channel} `.repeat(300)]], "task"),
      ),
    );
    expect(await pending(savers[0], config)).toHaveLength(4);
    await Promise.all(savers.map(async (saver) => saver.close()));
  });
});

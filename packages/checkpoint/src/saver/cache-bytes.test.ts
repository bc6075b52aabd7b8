import { HumanMessage } from "@langchain/core/messages";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { VfsSaver } from "./vfs-saver.js";

function saverOf(cacheBytes?: number) {
  const database = new LibsqlDatabase(":memory:");
  const engine = new LibsqlEngine(database);
  const reads = vi.spyOn(engine, "read");
  const driver = new LibsqlDriver(database);
  return {
    saver: new VfsSaver({ engine, driver, ...(cacheBytes === undefined ? {} : { cacheBytes }) }),
    reads,
  };
}

const place = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: "" } });

/** Runs steps of two threads in turn. Returns what is stored of the first. */
async function takeTurns(saver: VfsSaver, steps: number): Promise<unknown> {
  const configs = ["first", "second"].map(place);
  const messages: HumanMessage[] = [];
  for (let step = 0; step < steps; step++) {
    messages.push(new HumanMessage({ content: `step ${step}`, id: `${step}` }));
    for (const [index, config] of configs.entries()) {
      const checkpoint = {
        v: 4,
        id: uuid6(step),
        ts: new Date(0).toISOString(),
        channel_values: { messages: [...messages], kept: "a value that no step changes" },
        channel_versions: { messages: step + 1.5, kept: 1.5 },
        versions_seen: {},
      };
      const added = step === 0 ? checkpoint.channel_versions : { messages: step + 1.5 };
      const stored = await saver.put(config, checkpoint, { source: "loop", step, parents: {} }, added);
      configs[index] = stored as ReturnType<typeof place>;
    }
  }
  return (await saver.getTuple(place("first")))?.checkpoint.channel_values;
}

describe("the budget of recent checkpoints", () => {
  it("holds for all threads together: a thread that waited reads its parent again, and what is stored is the same", async () => {
    const [small, large] = [saverOf(1), saverOf()];
    const stored = await takeTurns(small.saver, 6);
    expect(stored).toEqual(await takeTurns(large.saver, 6));
    expect(stored).toMatchObject({ kept: "a value that no step changes" });
    // The first step of each thread looks whether it is encrypted, five have a parent, and the last read is that of `getTuple`.
    expect(small.reads).toHaveBeenCalledTimes(13);
    expect(large.reads).toHaveBeenCalledTimes(3);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses %d bytes", (cacheBytes) => {
    expect(() => VfsSaver.inMemory({ cacheBytes })).toThrow(
      expect.objectContaining({ code: "bad-option", message: expect.stringContaining("above 0") as string }),
    );
  });
});

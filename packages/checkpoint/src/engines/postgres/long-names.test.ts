import { uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { emptyPostgres } from "../../testing/empty-postgres.js";

const url = process.env["PALIMPSEST_POSTGRES_URL"];

describe.skipIf(url === undefined)("names on Postgres", () => {
  it.each([
    ["thread_id", "x".repeat(5000), ""],
    ["checkpoint_ns", "t", Array.from({ length: 100 }, () => `sub:${crypto.randomUUID()}`).join("|")],
  ])(
    "that are longer than an index takes are refused with the way out: %s",
    async (name, thread, namespace) => {
      const saver = await emptyPostgres(url ?? "");
      const checkpoint = {
        v: 4,
        id: uuid6(0),
        ts: new Date().toISOString(),
        channel_values: { a: 1 },
        channel_versions: { a: 1 },
        versions_seen: {},
      };
      const config = { configurable: { thread_id: thread, checkpoint_ns: namespace } };
      const put = saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { a: 1 });
      await expect(put).rejects.toMatchObject({ code: "bad-option", message: expect.stringContaining(name) });
      expect(await saver.getTuple(config)).toBeUndefined();
      await saver.close();
    },
  );
});

import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { randomFillSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { emptyPostgres } from "../../testing/empty-postgres.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const metadata = { source: "loop", step: 0, parents: {} } as const;

/** Bytes that no compression makes fewer. */
function incompressible(megabytes: number): Uint8Array {
  const bytes = new Uint8Array(megabytes * 2 ** 20);
  for (let at = 0; at < bytes.length; at += 2 ** 20) randomFillSync(bytes, at, 2 ** 20);
  return bytes;
}

describe.each(given ? [given] : [])("on Postgres", (server) => {
  it("a value of 250 MB is stored, one of 270 MB is refused with the way out, and the thread goes on", async () => {
    const saver = await emptyPostgres(server);
    const put = async (step: number, value: unknown) => {
      const values = { channel_values: { a: value }, channel_versions: { a: step } };
      await saver.put(config, { ...emptyCheckpoint(), id: uuid6(step), ...values }, metadata, { a: step });
    };
    const large = incompressible(250);
    await put(1, large);
    const stored = (await saver.getTuple(config))?.checkpoint.channel_values["a"];
    expect(Buffer.compare(stored as Uint8Array, large)).toBe(0);
    await expect(put(2, incompressible(270))).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/"t" has more than 256 MB .* file of the workspace/u) as string,
    });
    await put(3, "small");
    expect((await saver.getTuple(config))?.checkpoint.channel_values["a"]).toBe("small");
    await saver.close();
  }, 120_000);
});

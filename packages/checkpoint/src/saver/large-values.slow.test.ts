import { randomFillSync } from "node:crypto";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };

async function put(saver: VfsSaver, large: unknown): Promise<void> {
  const checkpoint = { ...emptyCheckpoint(), channel_values: { large }, channel_versions: { large: 1 } };
  await saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { large: 1 });
}

/** The error for a value that is too large. */
const refused = (message: RegExp) => ({
  code: "unsupported",
  message: expect.stringMatching(message) as string,
});

it("a value that a SQLite file cannot hold, or a text that could not be read back, is refused with the way out", async () => {
  const saver = VfsSaver.fromPath(temporaryPath());
  const bytes = new Uint8Array(999_100_000);
  await expect(put(saver, randomFillSync(bytes))).rejects.toMatchObject(
    refused(/"t" has more than 1 GB.*SQLite.*file of the workspace/u),
  );
  // Its characters would be few enough, and its bytes are not.
  const text = "\u00e9".repeat(2 ** 28);
  const long = refused(/more than 512 MB.*file of the workspace/u);
  await expect(put(saver, text)).rejects.toMatchObject(long);
  await expect(put(saver, [new HumanMessage(text)])).rejects.toMatchObject(long);
  await expect(put(saver, [new HumanMessage("x".repeat(2 ** 29 - 30))])).rejects.toMatchObject(long);
  expect(await saver.getTuple(config)).toBeUndefined();
  await put(saver, "small");
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ large: "small" });
  await saver.close();
}, 180_000);

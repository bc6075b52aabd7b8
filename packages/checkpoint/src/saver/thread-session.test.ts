import { HumanMessage } from "@langchain/core/messages";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { VfsSaver } from "./vfs-saver.js";

it("a step after a value that cannot be encoded is stored completely", async () => {
  const saver = VfsSaver.inMemory();
  const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  const messages = [new HumanMessage({ content: "hello", id: "1" })];
  const refused = {
    toJSON() {
      throw new Error("no JSON");
    },
  };
  const put = async (values: Record<string, unknown>): Promise<unknown> => {
    const versions = Object.fromEntries(Object.keys(values).map((key) => [key, 1.5]));
    const checkpoint = {
      v: 4,
      id: uuid6(0),
      ts: new Date().toISOString(),
      channel_values: values,
      channel_versions: versions,
      versions_seen: {},
    };
    return saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, versions);
  };
  await expect(put({ messages, refused })).rejects.toThrow("no JSON");
  await put({ messages });
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ messages });
  await saver.close();
});

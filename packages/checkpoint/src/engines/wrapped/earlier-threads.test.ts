import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });

describe("a copy of a thread from before its saver was wrapped", () => {
  it("has what the thread has: messages, maps, bytes, writes", async () => {
    const inner = new MemorySaver();
    const checkpoint = {
      ...emptyCheckpoint(),
      channel_values: {
        messages: [new HumanMessage({ content: "hi", id: "1" })],
        map: new Map([["a", new Set([1])]]),
        bytes: [Uint8Array.of(1, 2)],
      },
      channel_versions: { messages: 1, map: 1, bytes: 1 },
    };
    const place = { configurable: { thread_id: "a", checkpoint_ns: "" } };
    const at = await inner.put(place, checkpoint, { source: "loop", step: 0, parents: {} });
    await inner.putWrites(at, [["messages", [new AIMessage({ content: "hello", id: "2" })]]], "task");
    const saver = VfsSaver.wrap(inner, { blobs: new MemoryDriver() });
    await saver.copyThread("a", "b");
    const [original, copy] = [await saver.getTuple(config("a")), await saver.getTuple(config("b"))];
    expect(copy?.checkpoint).toEqual(original?.checkpoint);
    expect(copy?.pendingWrites).toEqual(original?.pendingWrites);
    expect(copy?.checkpoint.channel_values["map"]).toEqual(checkpoint.channel_values.map);
  });
});

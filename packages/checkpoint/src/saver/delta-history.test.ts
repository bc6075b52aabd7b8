import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  DeltaValue,
  MemorySaver,
  MessagesDeltaValue,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { MemoryDriver } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { DamagedPart } from "../engine.js";
import { testedSavers } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const config = { configurable: { thread_id: "t" } };

/** A delta channel that most runs do not write. */
const numbers = new DeltaValue(
  z.array(z.number()).default(() => []),
  { reducer: (current: number[], writes: readonly number[][]) => [...current, ...writes.flat()] },
);

const chat = (
  saver: VfsSaver,
  messages: typeof MessagesValue | typeof MessagesDeltaValue = MessagesDeltaValue,
) =>
  new StateGraph(new StateSchema({ messages, numbers }))
    .addNode("answer", (state) => ({ messages: [new AIMessage(`${state.messages.length}`)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });

type Chat = ReturnType<typeof chat>;

async function talk(graph: Chat, turns: number): Promise<unknown> {
  let live: unknown;
  for (let turn = 0; turn < turns; turn++)
    live = await graph.invoke({ messages: [new HumanMessage(`hi ${turn}`)] }, config);
  return live;
}

async function checkpointsOf(saver: VfsSaver): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of saver.checkpoints("t")) ids.push(id);
  return ids;
}

async function wrapped(): Promise<{ readonly inner: MemorySaver; readonly saver: VfsSaver }> {
  const inner = new MemorySaver();
  const saver = VfsSaver.wrap(inner, { blobs: new MemoryDriver() });
  await talk(chat(saver), 4);
  return { inner, saver };
}

describe("a thread with delta channels", () => {
  it("of which another program deleted an ancestor is refused, and not read without what it held", async () => {
    const { inner, saver } = await wrapped();
    const old = (await checkpointsOf(saver))[5] ?? "";
    Reflect.deleteProperty(inner.storage["t"]?.[""] ?? {}, old);
    const message = expect.stringMatching(new RegExp(`thread "t".*messages.*${old} is gone`));
    await expect(chat(saver).getState(config)).rejects.toMatchObject({ code: "corrupt", message });
    const damage: DamagedPart[] = [];
    await saver.verify("t", (part) => damage.push(part));
    expect(damage).toMatchObject([{ threadId: "t", error: { message } }]);
  });

  it("of which a checkpoint is pruned while it is read says so", async () => {
    const { inner, saver } = await wrapped();
    const [id = "", ...older] = await checkpointsOf(saver);
    const checkpoints = inner.storage["t"]?.[""] ?? {};
    const list = inner.list.bind(inner);
    inner.list = (...args) => {
      for (const one of [id, ...older]) Reflect.deleteProperty(checkpoints, one);
      return list(...args);
    };
    const read = saver.getDeltaChannelHistory({
      config: { configurable: { thread_id: "t", checkpoint_id: id } },
      channels: ["messages"],
    });
    await expect(read).rejects.toMatchObject({ code: "not-found" });
  });
});

describe.each(testedSavers)("a pruned thread with delta channels on $name", ({ create }) => {
  it("keeps no ancestor for a channel that was never written", async () => {
    const saver = await create();
    const graph = chat(saver, MessagesValue);
    const live = await talk(graph, 4);
    const { checkpoints } = await saver.prune("t", { keepLast: 1 });
    expect(checkpoints).toBeGreaterThan(8);
    expect(await checkpointsOf(saver)).toHaveLength(1);
    expect((await graph.getState(config)).values).toEqual(live);
    await saver.close();
  });

  it("keeps the ancestors of more channels than a checkpoint names inline", async () => {
    const saver = await create();
    const names = Array.from({ length: 70 }, (_, index) => `channel ${index}`);
    const graph = new StateGraph(new StateSchema(Object.fromEntries(names.map((name) => [name, numbers]))))
      .addNode("count", () => Object.fromEntries(names.map((name, index) => [name, [index]])))
      .addEdge(START, "count")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 3; turn++) await graph.invoke({ [names[0] ?? ""]: [turn] }, config);
    const live = (await graph.getState(config)).values;
    await saver.prune("t", { keepLast: 1 });
    expect((await graph.getState(config)).values).toEqual(live);
    expect(Object.values(live)).toContainEqual([69, 69, 69]);
    await saver.close();
  });
});

import { VfsSaver } from "@palimpsest/checkpoint";
import { unfold } from "@palimpsest/context";
import { afterEach, beforeEach, expect, it } from "vitest";
import { plantThread, secretsFor } from "../../testing/planted-thread.js";

const planted = secretsFor(16);
let saver: VfsSaver;
let said: Awaited<ReturnType<typeof plantThread>>;

beforeEach(async () => {
  saver = VfsSaver.inMemory();
  said = await plantThread(saver, planted, { threadId: "t", host: "compactionNode in a lane" });
});
afterEach(async () => saver.close());

/** Returns the files that an agent of a thread sees. */
async function filesOf(threadId: string, lane?: string) {
  const { backend } = saver.files.thread(threadId, {}, { lane });
  return ((await backend.glob("**", "/context/")).files ?? []).map(({ path }) => path);
}

async function opened(threadId: string) {
  const messages = [];
  for await (const { id, text } of saver.readThread({ configurable: { thread_id: threadId } }, { unfold }))
    messages.push({ id, text });
  return messages;
}

const whole = () => said.map(({ id, text }) => ({ id, text }));

it("a lane hides its files from other agents, and a host that reads the thread gets all of it", async () => {
  expect(await filesOf("t")).toEqual([]);
  expect(await filesOf("t", "scout")).not.toEqual([]);
  expect(await opened("t")).toEqual(whole());
});

it("a copy of a thread has its lanes, and what they share", async () => {
  await saver.copyThread("t", "copy");
  expect(await saver.files.lanes("copy").list()).toEqual([{ name: "scout", share: "none" }]);
  expect(await filesOf("copy")).toEqual([]);
  expect(await filesOf("copy", "scout")).toEqual(await filesOf("t", "scout"));
  expect(await opened("copy")).toEqual(whole());
});

it("a pruned thread keeps its lanes", async () => {
  const before = await filesOf("t", "scout");
  await saver.prune("t", { keepLast: 1 });
  expect(await filesOf("t", "scout")).toEqual(before);
  expect(await filesOf("t")).toEqual([]);
  expect(await opened("t")).toEqual(whole());
});

it("a deleted thread leaves nothing of its lanes", async () => {
  await saver.deleteThread("t");
  const left: string[] = [];
  for await (const { path } of saver.files.driver.list("/threads")) left.push(path);
  expect(left).toEqual([]);
  expect(await saver.files.lanes("t").list()).toEqual([]);
});

it("an erasure takes texts out of a lane, its stand-ins among them, and leaves the rest readable for its agent alone", async () => {
  const match = planted.map(({ secret }) => secret);
  const { failed } = await saver.erase({ match, reason: "key leaked" });
  expect(failed).toEqual([]);
  const paths = await filesOf("t", "scout");
  expect(paths.filter((path) => path.includes("/stand-ins/"))).not.toEqual([]);
  const { readable } = saver.files.thread("t", {}, { lane: "scout" });
  for (const path of paths) {
    const text = Buffer.from(await readable.readBytes(path)).toString();
    expect(match.filter((secret) => text.includes(secret))).toEqual([]);
  }
  expect(await filesOf("t")).toEqual([]);
  expect((await opened("t")).map(({ id }) => id)).toEqual(whole().map(({ id }) => id));
});

import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import { DirectoryDriver, MemoryDriver, VirtualFilesystem, type FileDriver } from "@palimpsest/vfs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { contextAnnotation } from "../run/context-state.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { readThread } from "./read-thread.js";
import { unfoldThread } from "./unfold-thread.js";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-keys-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let directories = 0;
const drivers: [string, () => FileDriver][] = [
  ["memory", () => new MemoryDriver()],
  ["a directory", () => new DirectoryDriver(join(directory, `${directories++}`), { durability: "process" })],
];

/** A process on shared storage: it has its own filesystem, so it has cached no key. */
function processOn(driver: FileDriver, saver: MemorySaver, sealKey?: string) {
  const files = new VirtualFilesystem({ driver, ...(sealKey === undefined ? {} : { sealKey }) });
  const events: { readonly type: string; readonly error?: unknown }[] = [];
  const options = { files, contextWindow: 4_000, limits: { offload: 500 } };
  const graph = new StateGraph({ ...MessagesAnnotation.spec, ...contextAnnotation })
    .addNode("compact", compactionNode({ ...options, onEvent: (event) => void events.push(event) }))
    .addNode("model", ({ messages }) => ({
      messages: [new AIMessage({ id: `said-${messages.at(-1)?.id}`, content: filler(200) })],
    }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .compile({ checkpointer: saver });
  return { graph, files, options, events };
}

/** Plays a thread that has folds. */
async function played(driver: FileDriver, sealKey?: string) {
  const saver = new MemorySaver();
  const { graph, files } = processOn(driver, saver, sealKey);
  for (let turn = 0; turn < 12; turn++)
    await graph.invoke(
      { messages: [new HumanMessage({ id: `q-${turn}`, content: filler(200, turn) })] },
      inThread("t"),
    );
  return {
    saver,
    thread: (await readThread(graph, inThread("t"), { files })).map((message) => toStoredMessage(message)),
  };
}

async function keysOf(driver: FileDriver): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of driver.list("/threads/t/keys")) paths.push(path);
  return paths;
}

type Change = (driver: FileDriver, path: string) => Promise<unknown>;
const write =
  (change: (bytes: Uint8Array) => Uint8Array): Change =>
  async (driver, path) =>
    driver.write(path, change((await driver.read(path)) ?? new Uint8Array()));
const changes: readonly [string, Change][] = [
  ["one bit is flipped", write((bytes) => bytes.map((byte, index) => (index === 7 ? byte ^ 4 : byte)))],
  ["half is left", write((bytes) => bytes.subarray(0, 16))],
  ["nothing is left", write(() => new Uint8Array())],
  ["the file is gone", async (driver, path) => driver.delete(path)],
];

const foldsOf = (messages: readonly BaseMessage[]) => messages.flatMap((message) => foldOf(message) ?? []);

describe.each(drivers)("in %s, a thread whose key was lost", (_, create) => {
  it.each(changes)(
    "so that %s is not read as if its folds were forged, and no step strips them",
    async (__, change) => {
      const driver = create();
      const { saver, thread } = await played(driver);
      const keys = await keysOf(driver);
      const kept = await Promise.all(
        keys.map(async (path) => [path, (await driver.read(path)) ?? new Uint8Array()] as const),
      );
      expect(kept.length).toBeGreaterThan(0);
      for (const path of keys) await change(driver, path);

      const { graph, files, options, events } = processOn(driver, saver);
      const missing = expect.objectContaining({
        code: "missing-key",
        message: expect.stringContaining("/threads/t/keys"),
      });
      const before = foldsOf((await graph.getState(inThread("t"))).values.messages);
      expect(before.length).toBeGreaterThan(0);
      await expect(readThread(graph, inThread("t"), { files })).rejects.toEqual(missing);
      await expect(unfoldThread(graph, inThread("t"), options)).rejects.toEqual(missing);
      const { messages } = await graph.invoke(
        { messages: [new HumanMessage({ id: "next", content: "Go on." })] },
        inThread("t"),
      );
      expect(foldsOf(messages)).toEqual(before);
      expect(events).toContainEqual(expect.objectContaining({ type: "context.fail", error: missing }));

      for (const [path, bytes] of kept) await driver.write(path, bytes);
      const read = await readThread(graph, inThread("t"), { files });
      expect(read.slice(0, thread.length).map((message) => toStoredMessage(message))).toEqual(thread);
    },
  );

  it("in one of its two files reads and goes on as before", async () => {
    const driver = create();
    const { saver, thread } = await played(driver);
    const [first = "", second] = await keysOf(driver);
    expect(second).toBe(`${first}.copy`);
    await driver.write(first, new Uint8Array(32));
    const { graph, files } = processOn(driver, saver);
    const read = await readThread(graph, inThread("t"), { files });
    expect(read.map((message) => toStoredMessage(message))).toEqual(thread);
  });

  it("has it again with the secret of the deployment, and only with that", async () => {
    const driver = create();
    const { saver, thread } = await played(driver, "secret of the deployment");
    for (const path of await keysOf(driver)) await driver.delete(path);
    const other = processOn(driver, saver, "another secret");
    await expect(readThread(other.graph, inThread("t"), { files: other.files })).rejects.toMatchObject({
      code: "missing-key",
    });
    const { graph, files } = processOn(driver, saver, "secret of the deployment");
    const read = await readThread(graph, inThread("t"), { files });
    expect(read.map((message) => toStoredMessage(message))).toEqual(thread);
    const later = processOn(driver, saver);
    expect(await readThread(later.graph, inThread("t"), { files: later.files })).toHaveLength(thread.length);
  });

  it("acknowledges no write of a tool that other processes could not read", async () => {
    const driver = create();
    await played(driver);
    for (const path of await keysOf(driver)) await driver.write(path, Buffer.from("short"));
    const { error } = await new VirtualFilesystem({ driver }).thread("t").backend.write("/note.md", "text");
    expect(error).toContain("/threads/t/keys");
  });
});

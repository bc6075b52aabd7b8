import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionNode } from "../../nodes/compaction-node.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { taskSteps, type ReadableThreads } from "./task-steps.js";

/** Returns a finished thread: a question, so many calls with a result each, and an answer. */
function finished(steps: number): readonly BaseMessage[] {
  return [
    ...history({ steps, result: (step) => filler(60, step) }),
    new AIMessage({ id: "answer", content: "Done." }),
  ];
}

function saverOf(
  threads: Readonly<Record<string, readonly BaseMessage[]>>,
  files = VirtualFilesystem.inMemory(),
) {
  const read: string[] = [];
  const saver: ReadableThreads = {
    threads: async () => Object.keys(threads),
    async *readThread({ configurable: { thread_id: thread } }, { unfold }) {
      read.push(thread);
      const { archive } = files.thread(thread);
      yield* await unfold(threads[thread] ?? [], async (path) => archive.readText(path));
    },
  };
  return { saver, read };
}

it("taskSteps is the 95th percentile of the finished threads, the question and the answer included", async () => {
  const threads = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`t${at}`, finished(at + 1)]));
  const { saver } = saverOf({ ...threads, running: history({ steps: 400 }), empty: [] });
  expect(await taskSteps(saver)).toBe(19 + 2);
  expect(await taskSteps(saver, { share: 1 })).toBe(20 + 2);
  expect(await taskSteps(saver, { share: 0.5 })).toBe(10 + 2);
});

it("taskSteps counts the steps of a thread as it happened, folded or not", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = compactionNode({ files, contextWindow: 3_000, summaryModel: "none" });
  const before = finished(60);
  const folded = messagesAfter(
    await node({ messages: [...before] }, { configurable: { thread_id: "t" } }),
    before,
  );
  expect(folded.length).toBeLessThan(before.length);
  const { saver } = saverOf({ t: folded }, files);
  expect(await taskSteps(saver)).toBe(62);
});

it("taskSteps is undefined without a finished thread, and stops after so many", async () => {
  expect(await taskSteps(saverOf({ running: history({ steps: 9 }) }).saver)).toBeUndefined();
  const { saver, read } = saverOf({
    a: finished(1),
    b: history({ steps: 3 }),
    c: finished(5),
    d: finished(9),
  });
  expect(await taskSteps(saver, { threads: 2 })).toBe(7);
  expect(read).toEqual(["a", "b", "c"]);
});

it.each([
  [{ threads: 0 }, "threads is 0: use a whole number above 0"],
  [{ share: 0 }, "share is 0"],
  [{ share: 95 }, "share is 95: use a number above 0 and at most 1"],
])("taskSteps refuses %o", async (options, message) => {
  await expect(taskSteps(saverOf({}).saver, options)).rejects.toThrow(message);
});

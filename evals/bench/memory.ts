import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, predictiveContextNode } from "@palimpsest/langgraph";
import { createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { createAgent } from "langchain";
import { usedHeap } from "../horizon/used-heap.js";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import { madeThread } from "../horizon/generated-steps.js";
import type { Suite } from "../suite.js";
import { besideOthers, isOurs, timesOurs } from "./beside.js";

/** A window that these threads fill more than once. */
const window = 8_000;
const messagesPerThread = 40;
const turns = 2;

/** Requirement: 1,000 idle threads take less than this. */
const allowedMb = 100;

/** Runs one turn of a thread. */
type Turn = (threadId: string, messages: readonly BaseMessage[]) => Promise<unknown>;

interface Subject {
  readonly turn: Turn;
  readonly close?: () => unknown;
}

/** Measures what a process keeps in memory for threads that have run and wait. */
export const memory: Suite = async ({ quick = false, progress }) => {
  const counts = quick ? [10, 20] : [100, 300, 1_000];
  const measured: { system: string; size: number; mb: number }[] = [];
  for (const [index, [system, open]] of Object.entries(subjects).entries()) {
    const directory = mkdtempSync(join(tmpdir(), "memory-"));
    const { turn, close } = open(directory);
    try {
      await runThread(turn, "warm-up");
      const before = usedBytes();
      let threads = 0;
      for (const size of counts) {
        progress(`${index}/${Object.keys(subjects).length} ${system}, ${size} threads`);
        for (; threads < size; threads++) await runThread(turn, `thread-${threads}`);
        // Timers and background work of the last turn end.
        await setTimeout(50);
        measured.push({ system, size, mb: Math.max(0, usedBytes() - before) / 1_000_000 });
      }
    } finally {
      await close?.();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }
  }
  const most = counts.at(-1) ?? 0;
  const last = measured.filter(({ size }) => size === most);
  return {
    suite: "memory",
    question: "How much memory does a process keep for threads that wait?",
    cases: measured.length,
    passed: last.length > 0 && last.filter(isOurs).every(({ mb }) => mb < allowedMb),
    tables: [
      {
        title: `Megabytes for idle threads of ${messagesPerThread} messages`,
        columns: ["system", ...counts.map((count) => `${count} threads`), "KB a thread", "to ours"],
        rows: last.map(({ system, mb }) => [
          system,
          ...measured.filter((row) => row.system === system).map((row) => row.mb),
          (mb * 1_000) / most,
          timesOurs(mb, last[0]?.mb ?? 0),
        ]),
        note: `Heap and buffers after garbage collection, less those after one thread. Each thread has run ${turns} turns; nobody refers to its messages any more. MemorySaver keeps every checkpoint by design.`,
      },
    ],
    comparisons: [
      besideOthers(last, ({ mb }) => mb * 1_000_000, {
        measure: `memory of ${most.toLocaleString("en")} idle threads`,
        unit: "bytes",
      }),
    ],
    numbers: { measured },
  };
};

/** Returns the bytes in use after a collection, in the heap and in buffers. */
function usedBytes(): number {
  return usedHeap() + process.memoryUsage().external;
}

async function runThread(turn: Turn, threadId: string): Promise<void> {
  await turn(threadId, madeThread(messagesPerThread));
  for (let next = 1; next < turns; next++) await turn(threadId, [new HumanMessage(`And now part ${next}?`)]);
}

const State = new StateSchema({ messages: MessagesValue, ...contextState });

type Select = ReturnType<typeof compactionNode>;

function ours(select: (saver: VfsSaver) => Select) {
  return (directory: string): Subject => {
    const saver = VfsSaver.fromPath(join(directory, "agent.db"));
    const graph = new StateGraph(State)
      .addNode("select", select(saver) as never)
      .addNode("model", async () => ({ messages: [new AIMessage("Done.")] }))
      .addEdge(START, "select")
      .addEdge("select", "model")
      .compile({ checkpointer: saver });
    return {
      turn: async (threadId, messages) =>
        graph.invoke({ messages: [...messages] }, { configurable: { thread_id: threadId } }),
      close: async () => saver.close(),
    };
  };
}

/** A model that an agent can offer tools to. It calls none. */
class Answerer extends SummaryWriter {
  override bindTools() {
    return this;
  }
}

function deepagents(directory: string): Subject {
  const model = new Answerer(window);
  const backend = new FilesystemBackend({ rootDir: directory, virtualMode: true });
  const middleware = [createSummarizationMiddleware({ model, backend })] as const;
  const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
  return {
    turn: async (threadId, messages) =>
      agent.invoke({ messages: [...messages] }, { configurable: { thread_id: threadId } }),
  };
}

const subjects: Readonly<Record<string, (directory: string) => Subject>> = {
  "Palimpsest compactionNode, VfsSaver": ours(({ files }) =>
    compactionNode({ files, contextWindow: window }),
  ),
  "Palimpsest predictiveContextNode, VfsSaver": ours(({ files }) =>
    predictiveContextNode({ files, budget: window / 2 }),
  ),
  "deepagents summarization, MemorySaver": deepagents,
};

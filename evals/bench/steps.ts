import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { compactionNode, type CompactionState } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createPatchToolCallsMiddleware, createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { summarizationMiddleware } from "langchain";
import { generatedStep, madeThread } from "../horizon/generated-steps.js";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Suite } from "../suite.js";
import { medianCpuMs } from "./measures/median-ms.js";
import { besideOthers, toOurs } from "./beside.js";
import { tableOf } from "../report/table-of.js";

/** A window that no thread here fills. */
const window = 100_000_000;
const oursName = "Palimpsest compactionNode";

const kinds = ["warm", "fresh", "grown"] as const;

type BeforeCall = (messages: BaseMessage[]) => Promise<unknown>;

/** CPU of the step before every model call when there is nothing to do, by the number of messages in the thread. */
export const steps: Suite = async ({ quick = false, progress }) => {
  const sizes = quick ? [100, 1_000] : [100, 1_000, 5_000, 20_000];
  const measured: { system: string; size: number; warm: number; fresh: number; grown: number }[] = [];
  for (const [index, size] of sizes.entries()) {
    progress(`${index}/${sizes.length} ${size} messages`);
    const thread = madeThread(size);
    for (const [system, beforeCall] of Object.entries(beforeCalls())) {
      const warm = await medianCpuMs(() => beforeCall(thread));
      let messages: BaseMessage[] = [];
      const prepare = () => void (messages = madeThread(size));
      const fresh = await medianCpuMs(() => beforeCall(messages), { rounds: 5, warmUp: 1, prepare });
      let [longer, step] = [thread, size];
      const addStep = () => void (longer = [...longer, ...generatedStep(1, step++)]);
      const grown = await medianCpuMs(() => beforeCall(longer), { rounds: 15, prepare: addStep });
      measured.push({ system, size, warm, fresh, grown });
    }
  }
  const largest = sizes.at(-1) ?? 0;
  const compare = (kind: (typeof kinds)[number], label: string) =>
    besideOthers(
      measured.filter(({ size }) => size === largest),
      (row) => row[kind],
      {
        measure: `CPU time before a model call, nothing due, ${largest.toLocaleString("en")} ${label}`,
        unit: "ms",
      },
    );
  return {
    suite: "steps",
    question: "What does the step before each model call cost when there is nothing to do?",
    cases: measured.length,
    passed: measured.length > 0 && measured.every((row) => kinds.every((kind) => row[kind] > 0)),
    tables: [
      tableOf(measured, {
        title: "Milliseconds before a model call",
        columns: [
          ["system", ({ system }) => system],
          ["messages", ({ size }) => size],
          ["known messages, ms", ({ warm }) => warm],
          toOurs(measured, ({ warm }) => warm),
          ["loaded messages, ms", ({ fresh }) => fresh],
          toOurs(measured, ({ fresh }) => fresh),
          ["one more step, ms", ({ grown }) => grown],
          toOurs(measured, ({ grown }) => grown),
        ],
        note: "Medians. Known: the same message objects as in the previous step, as within a run. Loaded: new objects, as after reading a checkpoint. One more step: known messages with a call and its result behind them. Ours has the channel `compaction`, as in a graph. deepagents is its summarization and its patching of tool calls, both of which every deep agent has.",
      }),
    ],
    comparisons: [
      compare("warm", "known messages"),
      compare("fresh", "loaded messages"),
      compare("grown", "known messages and one more step"),
    ],
    numbers: { measured },
  };
};

/** Returns each system on a thread of its own. */
function beforeCalls(): Readonly<Record<string, BeforeCall>> {
  const model = new SummaryWriter(window);
  const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: window });
  const config = { configurable: { thread_id: "steps" } };
  let compaction: CompactionState | undefined;
  const backend = new FilesystemBackend({ rootDir: "/", virtualMode: true });
  const summarization = createSummarizationMiddleware({ model, backend }).wrapModelCall as unknown as Wrap;
  const patching = createPatchToolCallsMiddleware().wrapModelCall as unknown as Wrap;
  const langchain = summarizationMiddleware({ model, trigger: { fraction: 0.85 } } as LangchainOptions)
    .beforeModel as unknown as (state: object, runtime: object) => Promise<unknown>;
  return {
    async [oursName](messages) {
      const update = await node({ messages, compaction }, config);
      compaction = { ...compaction, ...(update.compaction as CompactionState | undefined) };
    },
    "deepagents summarization and patching": (messages) => {
      const request = { model, messages, state: { messages }, tools: [], runtime: {} };
      return summarization(request, (inner: Request) => patching(inner, done));
    },
    "langchain summarizationMiddleware": (messages) => langchain({ messages }, { context: {} }),
  };
}

async function done(): Promise<AIMessage> {
  return new AIMessage("done");
}

type Request = object;
type Wrap = (request: Request, handler: (request: Request) => Promise<unknown>) => Promise<unknown>;
/** Its declared type is `never` under this TypeScript. */
type LangchainOptions = Parameters<typeof summarizationMiddleware>[0];

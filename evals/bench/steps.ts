import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { compactionNode } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createPatchToolCallsMiddleware, createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { summarizationMiddleware } from "langchain";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Suite } from "../suite.js";
import { madeThread } from "./made-thread.js";
import { medianCpuMs } from "./measures/median-cpu-ms.js";
import { lessIsBetter, timesOurs } from "./ratio.js";

/** A window that no thread here fills. */
const window = 100_000_000;
const oursName = "Palimpsest compactionNode";

type BeforeCall = (messages: BaseMessage[]) => Promise<unknown>;

/** CPU of the step before every model call when there is nothing to do, by the number of messages in the thread. */
export const steps: Suite = async ({ quick = false, progress }) => {
  const sizes = quick ? [100, 1_000] : [100, 1_000, 5_000, 20_000];
  const subjects = beforeCalls();
  const measured: { system: string; size: number; warm: number; fresh: number }[] = [];
  for (const [index, size] of sizes.entries()) {
    progress(`${index}/${sizes.length} ${size} messages`);
    const thread = madeThread(size);
    for (const [system, beforeCall] of Object.entries(subjects)) {
      const warm = await medianCpuMs(() => beforeCall(thread));
      let messages: BaseMessage[] = [];
      const prepare = () => void (messages = madeThread(size));
      const fresh = await medianCpuMs(() => beforeCall(messages), { rounds: 5, warmUp: 1, prepare });
      measured.push({ system, size, warm, fresh });
    }
  }
  const of = (system: string, size: number) =>
    measured.find((row) => row.system === system && row.size === size);
  const largest = sizes.at(-1) ?? 0;
  const names = Object.keys(subjects);
  const rows = measured.map(({ system, size, warm, fresh }) => {
    const ours = of(oursName, size);
    return [system, size, warm, timesOurs(warm, ours?.warm ?? 0), fresh, timesOurs(fresh, ours?.fresh ?? 0)];
  });
  const compare = (kind: "warm" | "fresh", label: string) =>
    lessIsBetter({
      measure: `CPU time before a model call, nothing due, ${largest.toLocaleString("en")} ${label}`,
      unit: "ms",
      ours: of(oursName, largest)?.[kind] ?? Number.NaN,
      rivals: names
        .filter((name) => name !== oursName)
        .map((name) => ({ name, value: of(name, largest)?.[kind] ?? Number.NaN })),
    });
  return {
    suite: "steps",
    question: "What does the step before each model call cost when there is nothing to do?",
    cases: measured.length,
    passed: measured.length > 0 && measured.every(({ warm, fresh }) => warm > 0 && fresh > 0),
    tables: [
      {
        title: "Milliseconds before a model call",
        columns: ["system", "messages", "known messages, ms", "to ours", "loaded messages, ms", "to ours "],
        rows,
        note: "Medians. Known: the same message objects as in the previous step, as within a run. Loaded: new objects, as after reading a checkpoint. deepagents is its summarization and its patching of tool calls, both of which every deep agent has.",
      },
    ],
    charts: [
      {
        title: "Before a model call, nothing to do",
        x: { label: "messages in the thread", scale: "log" },
        y: { label: "ms", scale: "log" },
        series: names.map((name) => ({
          label: name,
          points: sizes.map((size) => ({ x: size, y: of(name, size)?.warm ?? Number.NaN })),
        })),
      },
    ],
    comparisons: [compare("warm", "known messages"), compare("fresh", "loaded messages")],
    numbers: { measured },
  };
};

function beforeCalls(): Readonly<Record<string, BeforeCall>> {
  const model = new SummaryWriter(window);
  const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: window });
  const config = { configurable: { thread_id: "steps" } };
  const backend = new FilesystemBackend({ rootDir: "/", virtualMode: true });
  const summarization = createSummarizationMiddleware({ model, backend }).wrapModelCall as unknown as Wrap;
  const patching = createPatchToolCallsMiddleware().wrapModelCall as unknown as Wrap;
  const langchain = summarizationMiddleware({ model, trigger: { fraction: 0.85 } } as LangchainOptions)
    .beforeModel as unknown as (state: object, runtime: object) => Promise<unknown>;
  return {
    [oursName]: (messages) => node({ messages }, config),
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

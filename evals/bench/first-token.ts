import { setTimeout } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { NodeThread } from "../metrics/node-thread.js";
import { charsOverFour } from "../data/text-of.js";
import { generatedStep } from "../horizon/generated-steps.js";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Suite } from "../suite.js";
import { medianMs } from "./measures/median-ms.js";
import { besideOthers, isOurs, toOurs } from "./beside.js";
import { tableOf } from "../report/table-of.js";
import { langchainWith } from "../policies/langchain-summarization.js";

/** Milliseconds that a call of the summary model takes here. */
const modelMs = 200;

/** Milliseconds between two compactions, as while a model answers: ours syncs its files to the disk meanwhile. */
const betweenMs = 1_000;

const nothing = async (): Promise<readonly BaseMessage[]> => [];

/** A summary model with a fixed delay that counts its calls. */
class SlowWriter extends SummaryWriter {
  calls = 0;

  override async answer(messages: BaseMessage[]): Promise<ChatResult> {
    this.calls++;
    await setTimeout(modelMs);
    return super.answer(messages);
  }
}

/** Measures what a compaction adds to the time until the model is called, and so to the first token. */
export const firstToken: Suite = async ({ quick = false, progress }) => {
  const windows = quick ? [16_000] : [32_000, 128_000, 200_000];
  const measured: { system: string; size: number; ms: number; calls: number; tokens: number }[] = [];
  // Deleted at the end: ext4 without a journal takes five times as long to create a file while others were deleted shortly before.
  const base = mkdtempSync(join(tmpdir(), "first-token-"));
  try {
    for (const [index, window] of windows.entries()) {
      progress(`${index}/${windows.length} window of ${window} tokens`);
      for (const [system, make] of Object.entries(subjects)) {
        const root = mkdtempSync(join(base, "system-"));
        measured.push({ system, size: window, ...(await measure(make, { window, root, quick })) });
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return {
    suite: "first-token",
    question: "How much later does the first token come after a compaction?",
    cases: measured.length,
    passed:
      measured.length > 0 &&
      measured.filter(isOurs).every(({ tokens, size }) => tokens > 0 && tokens < 0.85 * size),
    tables: [
      tableOf(measured, {
        title: "Time that one compaction adds before the model is called",
        columns: [
          ["system", ({ system }) => system],
          ["window", ({ size }) => size],
          ["ms", ({ ms }) => ms],
          toOurs(measured, ({ ms }) => ms),
          ["calls of the summary model", ({ calls }) => calls],
          ["ms without the model's time", ({ ms, calls }) => Math.max(0, ms - calls * modelMs)],
          ["tokens after", ({ tokens }) => Math.round(tokens)],
        ],
        note: `Medians. The thread fills 90 % of the window; each call of the summary model takes ${modelMs} ms here, where a real one takes seconds. Without a call the cheaper rungs were enough. Originals go to a directory where no other storage is named, with langchain nowhere. A second passes between two compactions, in which ours syncs the files that its journal holds already.`,
      }),
    ],
    comparisons: windows.map((window) =>
      besideOthers(
        measured.filter(({ size }) => size === window),
        ({ ms }) => ms,
        {
          measure: `time to first token added by a compaction, window of ${window.toLocaleString("en")}`,
          unit: "ms",
        },
      ),
    ),
    numbers: { modelMs, measured },
  };
};

interface Round {
  readonly window: number;
  readonly root: string;
  readonly quick: boolean;
}

async function measure(make: Make, { window, root, quick }: Round) {
  const model = new SlowWriter(window);
  let run = nothing;
  let after: readonly BaseMessage[] = [];
  let round = 0;
  let calls = 0;
  const prepare = async () => {
    if (!quick) await setTimeout(betweenMs);
    run = make({ model, window, root: join(root, String(round++)), messages: threadOver(0.9 * window) });
    calls = model.calls;
  };
  const options = { rounds: quick ? 1 : 5, warmUp: 1, prepare };
  const ms = await medianMs(async () => void (after = await run()), options);
  return { ms, calls: model.calls - calls, tokens: charsOverFour(after) };
}

function threadOver(tokens: number): BaseMessage[] {
  const messages: BaseMessage[] = [];
  let sum = 0;
  for (let step = 0; sum < tokens; step++) {
    const added = generatedStep(2, step);
    messages.push(...added);
    sum += charsOverFour(added);
  }
  return messages;
}

interface MakeOptions {
  readonly model: SummaryWriter;
  readonly window: number;
  readonly root: string;
  readonly messages: BaseMessage[];
}

/** Returns a function that builds the context of the next call. */
type Make = (options: MakeOptions) => () => Promise<readonly BaseMessage[]>;

const subjects: Readonly<Record<string, Make>> = {
  Palimpsest: (options) => ladder(options, { model: options.model, files: directory(options) }),
  "Palimpsest without a summary model": (options) => ladder(options, { files: directory(options) }),
  "Palimpsest with a SQLite file": ({ root, ...options }) =>
    ladder(options, { model: options.model, files: VfsSaver.fromPath(`${root}.db`).files }),
  deepagents: ({ model, root, messages }) => {
    const backend = new FilesystemBackend({ rootDir: root, virtualMode: true });
    const { wrapModelCall } = createSummarizationMiddleware({ model, backend });
    const request = { model, messages, state: { messages }, tools: [], runtime: {} };
    let sent: readonly BaseMessage[] = [];
    const handler = async (changed: { readonly messages: readonly BaseMessage[] }) => {
      sent = changed.messages;
      return new AIMessage("done");
    };
    return async () => {
      await wrapModelCall?.(request as never, handler as never);
      return sent;
    };
  },
  "langchain summarizationMiddleware": ({ model, window, messages }) => {
    const run = langchainWith(() => model).start({ budget: window, seed: 1 });
    return () => run.context(messages, { chunk: 0, needed: [] });
  },
};

function directory({ root }: MakeOptions): VirtualFilesystem {
  return VirtualFilesystem.fromDirectory(root);
}

function ladder(
  { window, messages }: Omit<MakeOptions, "root">,
  options: { readonly files: VirtualFilesystem; readonly model?: SummaryWriter },
) {
  const thread = new NodeThread(compactionNode({ contextWindow: window, ...options }), "first-token");
  thread.add(messages);
  return () => thread.step();
}

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { offloadTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { FilesystemBackend } from "deepagents";
import { evictingInto } from "../policies/deep-agents.js";
import type { Suite } from "../suite.js";
import { medianMs } from "./measures/median-ms.js";
import { besideOthers, isOurs, toOurs } from "./beside.js";
import { tableOf } from "../report/table-of.js";

const config = { configurable: { thread_id: "offload" } };

interface Load {
  readonly megabytes: number;
  /** Results that arrive at once. */
  readonly inFlight: number;
}

interface Subject {
  readonly offload: (text: string) => Promise<ToolMessage>;
  /** Returns the text as it is stored. */
  readonly stored: (message: ToolMessage) => Promise<string>;
}

/** Measures writing a large tool result to a directory and returning a preview. */
export const offload: Suite = async ({ quick = false, progress }) => {
  const loads: readonly Load[] = [
    { megabytes: 0.1, inFlight: 1 },
    { megabytes: 0.1, inFlight: 8 },
    ...(quick ? [1] : [1, 10, 50]).map((megabytes) => ({ megabytes, inFlight: 1 })),
  ];
  const root = mkdtempSync(join(tmpdir(), "offload-"));
  const subjects = {
    "Palimpsest offloadTools": ours(root),
    "deepagents filesystem middleware": theirs(root),
  };
  const measured: ({ system: string; size: string } & Load & Measured)[] = [];
  try {
    for (const [index, load] of loads.entries()) {
      const size = nameOf(load);
      progress(`${index}/${loads.length} ${size}`);
      for (const [system, subject] of Object.entries(subjects))
        measured.push({ system, size, ...load, ...(await measure(subject, load)) });
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  }
  return {
    suite: "offload",
    question: "What does it cost to offload a large tool result, and is it stored whole?",
    cases: measured.length,
    passed: measured.length > 0 && measured.filter(isOurs).every(({ whole }) => whole),
    tables: [
      tableOf(measured, {
        title: "A tool result into a directory",
        columns: [
          ["system", (row) => row.system],
          ["MB", (row) => row.megabytes],
          ["in flight", (row) => row.inFlight],
          ["ms a result", (row) => row.ms],
          toOurs(measured, ({ ms }) => ms),
          ["characters left in the message", (row) => row.characters],
          ["stored byte for byte", (row) => (row.whole ? "yes" : "no")],
        ],
        note: "Medians of five, each with its own text; several in flight: the time of all, divided by their number. Ours is synced to the disk and read back before it drops the original; deepagents syncs nothing.",
      }),
    ],
    comparisons: loads.map(nameOf).map((size) =>
      besideOthers(
        measured.filter((row) => row.size === size),
        ({ ms }) => ms,
        { measure: `offloading a result of ${size}`, unit: "ms" },
      ),
    ),
    numbers: { measured },
  };
};

function nameOf({ megabytes, inFlight }: Load): string {
  return `${megabytes} MB${inFlight === 1 ? "" : `, ${inFlight} in flight`}`;
}

interface Measured {
  /** Wall time of a round, divided by its results. */
  readonly ms: number;
  readonly characters: number;
  readonly whole: boolean;
}

async function measure({ offload, stored }: Subject, { megabytes, inFlight }: Load): Promise<Measured> {
  let texts: readonly string[] = [];
  let messages: readonly ToolMessage[] = [];
  const prepare = () => void (texts = Array.from({ length: inFlight }, () => logOf(megabytes * 1e6)));
  const run = async () => void (messages = await Promise.all(texts.map(offload)));
  const ms = await medianMs(run, { rounds: 5, warmUp: 1, prepare });
  const kept = await Promise.all(messages.map(stored));
  return {
    ms: ms / inFlight,
    characters: messages[0]?.text.length ?? Number.NaN,
    whole: kept.length === inFlight && kept.every((text, index) => text === texts[index]),
  };
}

/** Returns lines of a log, `bytes` long, that no other log has. */
function logOf(bytes: number): string {
  const line = `${randomUUID()} 2026-01-01T00:00:00Z worker took 12 ms for item 4711, and the queue holds 42 more of them\n`;
  return line.repeat(Math.ceil(bytes / line.length));
}

function ours(root: string): Subject {
  const files = VirtualFilesystem.fromDirectory(join(root, "ours"));
  let next = new ToolMessage({ content: "", tool_call_id: "none" });
  const [tool] = offloadTools([{ name: "log", invoke: async (_input: never, _config?: never) => next }], {
    files,
    contextWindow: 200_000,
  });
  return {
    async offload(text) {
      next = new ToolMessage({ id: randomUUID(), name: "log", content: text, tool_call_id: randomUUID() });
      return (await tool?.invoke({} as never, config as never)) as ToolMessage;
    },
    async stored(message) {
      const { path } = foldOf(message) ?? {};
      if (path === undefined) return "";
      return files.thread("offload").archive.readText(path);
    },
  };
}

function theirs(root: string): Subject {
  const backend = new FilesystemBackend({ rootDir: join(root, "theirs"), virtualMode: true });
  const evict = evictingInto(backend);
  return {
    offload: async (text) => {
      const message = new ToolMessage({ name: "log", content: text, tool_call_id: randomUUID() });
      return (await evict(message)) as ToolMessage;
    },
    async stored(message) {
      const [path = ""] = /\/large_tool_results\/[\w.-]+?\.txt/.exec(message.text) ?? [];
      const { data } = await backend.readRaw(path);
      const { content = "" } = data ?? {};
      return typeof content === "string" ? content : Array.isArray(content) ? content.join("\n") : "";
    },
  };
}

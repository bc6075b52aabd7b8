import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { offloadTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createFilesystemMiddleware, FilesystemBackend } from "deepagents";
import type { Suite } from "../suite.js";
import { medianMs } from "./median-ms.js";
import { lessIsBetter, timesOurs } from "./ratio.js";

const oursName = "Palimpsest offloadTools";
const theirsName = "deepagents filesystem middleware";
const config = { configurable: { thread_id: "offload" } };

interface Subject {
  readonly offload: (text: string, round: number) => Promise<ToolMessage>;
  /** Returns the text as it is stored. */
  readonly stored: (message: ToolMessage) => Promise<string>;
}

/** Measures writing a large tool result to a directory and returning a preview. */
export const offload: Suite = async ({ quick = false, progress }) => {
  const megabytes = quick ? [0.1, 1] : [0.1, 1, 10, 50];
  const root = mkdtempSync(join(tmpdir(), "offload-"));
  const subjects: Readonly<Record<string, Subject>> = { [oursName]: ours(root), [theirsName]: theirs(root) };
  const measured: { system: string; megabytes: number; ms: number; characters: number; whole: boolean }[] =
    [];
  try {
    for (const [index, size] of megabytes.entries()) {
      progress(`${index}/${megabytes.length} ${size} MB`);
      for (const [system, { offload, stored }] of Object.entries(subjects)) {
        let round = 0;
        let text = "";
        let message = new ToolMessage({ content: "", tool_call_id: "none" });
        const prepare = () => void (text = logOf(size * 1e6, round++));
        const run = async () => void (message = await offload(text, round));
        const ms = await medianMs(run, { rounds: 5, warmUp: 1, prepare });
        measured.push({
          system,
          megabytes: size,
          ms,
          characters: message.text.length,
          whole: (await stored(message)) === text,
        });
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const of = (system: string, size: number) =>
    measured.find((row) => row.system === system && row.megabytes === size);
  return {
    suite: "offload",
    question: "What does it cost to offload a large tool result, and is it stored whole?",
    cases: measured.length,
    passed:
      measured.length > 0 && measured.filter(({ system }) => system === oursName).every(({ whole }) => whole),
    tables: [
      {
        title: "A tool result into a directory",
        columns: ["system", "MB", "ms", "to ours", "characters left in the message", "stored byte for byte"],
        rows: measured.map(({ system, megabytes: size, ms, characters, whole }) => [
          system,
          size,
          ms,
          timesOurs(ms, of(oursName, size)?.ms ?? 0),
          characters,
          whole ? "yes" : "no",
        ]),
        note: "Medians of five, each with its own text. Ours writes atomically and checks the written size before it drops the original.",
      },
    ],
    charts: [
      {
        title: "Offloading a tool result",
        x: { label: "MB", scale: "log" },
        y: { label: "ms", scale: "log" },
        series: Object.keys(subjects).map((label) => ({
          label,
          points: megabytes.map((size) => ({ x: size, y: of(label, size)?.ms ?? Number.NaN })),
        })),
      },
    ],
    comparisons: megabytes.map((size) =>
      lessIsBetter({
        measure: `offloading a result of ${size} MB`,
        unit: "ms",
        ours: of(oursName, size)?.ms ?? Number.NaN,
        rivals: [{ name: theirsName, value: of(theirsName, size)?.ms ?? Number.NaN }],
      }),
    ),
    numbers: { measured },
  };
};

/** Returns lines of a log, `bytes` long, that differ from round to round. */
function logOf(bytes: number, round: number): string {
  const line = `${round} 2026-01-01T00:00:00Z worker took 12 ms for item 4711, and the queue holds 42 more of them\n`;
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
    async offload(text, round) {
      next = new ToolMessage({ id: `m${round}`, name: "log", content: text, tool_call_id: `call-${round}` });
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
  const wrap = createFilesystemMiddleware({ backend }).wrapToolCall as unknown as (
    request: object,
    handler: () => Promise<ToolMessage>,
  ) => Promise<ToolMessage>;
  return {
    offload: (text, round) => {
      const message = new ToolMessage({ name: "log", content: text, tool_call_id: `call-${round}` });
      return wrap(
        { toolCall: { id: `call-${round}`, name: "log", args: {} }, state: {}, runtime: {} },
        async () => message,
      );
    },
    async stored(message) {
      const [path = ""] = /\/large_tool_results\/[\w.-]+?\.txt/.exec(message.text) ?? [];
      const { data } = await backend.readRaw(path);
      const { content = "" } = data ?? {};
      return typeof content === "string" ? content : Array.isArray(content) ? content.join("\n") : "";
    },
  };
}

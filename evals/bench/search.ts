import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { historyMarkdown } from "@palimpsest/context/internal";
import { fileTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createFilesystemMiddleware, FilesystemBackend } from "deepagents";
import { madeThread, needleOf } from "../horizon/generated-steps.js";
import type { Comparison, Suite } from "../suite.js";
import { medianMs } from "./measures/median-ms.js";
import { besideOthers, isOurs, toOurs } from "./beside.js";
import { tableOf } from "../report/table-of.js";

const config = { configurable: { thread_id: "search" } };
/** Messages of one compaction, and so of one file of the archive. */
const fileMessages = 200;

type Search = (name: string) => Promise<string>;

/** Measures a search for a name that occurs once in many archived messages. */
export const search: Suite = async ({ quick = false, progress }) => {
  const sizes = quick ? [1_000] : [1_000, 10_000, 100_000];
  const measured: Row[] = [];
  for (const [index, size] of sizes.entries()) {
    progress(`${index}/${sizes.length} ${size} messages`);
    const root = mkdtempSync(join(tmpdir(), "search-"));
    try {
      const { name, answer } = needleOf(1, Math.floor(size / 20 / 2) * 10);
      for (const [system, run] of Object.entries(await searches(root, size))) {
        let found = "";
        const ms = await medianMs(async () => void (found = await run(name)), { rounds: 9, warmUp: 5 });
        measured.push({ system, size, ms, found: found.includes(answer) });
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return {
    suite: "search",
    question: "How long does the agent's search over the archive take?",
    cases: measured.length,
    passed: measured.length > 0 && measured.filter(isOurs).every(({ found }) => found),
    tables: [
      tableOf(measured, {
        title: "A search for a name that stands once",
        columns: [
          ["system", ({ system }) => system],
          ["archived messages", ({ size }) => size],
          ["ms", ({ ms }) => ms],
          toOurs(measured, ({ ms }) => ms),
          ["found", ({ found }) => (found ? "yes" : "no")],
        ],
        note: `Medians of nine searches through the tools, after five to warm up, in a directory. Ours: a file for each compaction of ${fileMessages} messages, searched in the process. deepagents: one file of the whole history, searched by ripgrep where it is installed, else in the process, which passes over files of more than 10 MB.`,
      }),
    ],
    comparisons: sizes.map((size) => compare(measured.filter((row) => row.size === size))),
    numbers: { measured },
  };
};

interface Row {
  readonly system: string;
  /** Archived messages. */
  readonly size: number;
  readonly ms: number;
  readonly found: boolean;
}

/** Times are compared where all found it; a search that found nothing is not fast. */
function compare(rows: readonly Row[]): Comparison {
  const place = `search over ${(rows[0]?.size ?? 0).toLocaleString("en")} archived messages`;
  if (rows.every(({ found }) => found))
    return besideOthers(rows, ({ ms }) => ms, { measure: place, unit: "ms" });
  const share = besideOthers(rows, ({ found }) => Number(found), {
    measure: `found by a ${place}`,
    unit: "share",
  });
  return { ...share, better: "higher", margin: 0 };
}

async function searches(root: string, count: number): Promise<Readonly<Record<string, Search>>> {
  const files = VirtualFilesystem.fromDirectory(join(root, "ours"));
  const { archive } = files.thread("search");
  const messages = madeThread(count);
  mkdirSync(join(root, "theirs/conversation_history"), { recursive: true });
  const parts: string[] = [];
  for (let from = 0; from < messages.length; from += fileMessages) {
    const text = historyMarkdown(messages.slice(from, from + fileMessages));
    await archive.append(`/context/history/${String(from).padStart(7, "0")}.md`, text);
    parts.push(text);
  }
  writeFileSync(join(root, "theirs/conversation_history/session.md"), parts.join("\n"));
  const grep = fileTools({ files }).find(({ name }) => name === "grep");
  const backend = new FilesystemBackend({ rootDir: join(root, "theirs"), virtualMode: true });
  const theirTools = createFilesystemMiddleware({ backend }).tools as readonly StructuredToolInterface[];
  const theirGrep = theirTools.find(({ name }) => name === "grep");
  return {
    "Palimpsest grep tool": async (pattern) =>
      String(await grep?.invoke({ pattern, path: "/context/" }, config)),
    "deepagents grep tool": async (pattern) => String(await theirGrep?.invoke({ pattern }, config)),
  };
}

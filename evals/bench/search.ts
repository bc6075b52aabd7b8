import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { historyMarkdown } from "@palimpsest/context/internal";
import { fileTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createFilesystemMiddleware, FilesystemBackend } from "deepagents";
import { needleOf } from "../horizon/generated-steps.js";
import type { Comparison, Suite } from "../suite.js";
import { madeThread } from "./made-thread.js";
import { medianMs } from "./measures/median-ms.js";
import { lessIsBetter, timesOurs } from "./ratio.js";
import { tableOf } from "../report/table-of.js";

const oursName = "Palimpsest grep tool";
const theirsName = "deepagents grep tool";
const config = { configurable: { thread_id: "search" } };
/** Messages of one compaction, and so of one file of the archive. */
const fileMessages = 200;

type Search = (name: string) => Promise<string>;

/** Measures a search for a name that occurs once in many archived messages. */
export const search: Suite = async ({ quick = false, progress }) => {
  const sizes = quick ? [1_000] : [1_000, 10_000, 100_000];
  const measured: Row[] = [];
  for (const [index, messages] of sizes.entries()) {
    progress(`${index}/${sizes.length} ${messages} messages`);
    const root = mkdtempSync(join(tmpdir(), "search-"));
    try {
      const { name, answer } = needleOf(1, Math.floor(messages / 20 / 2) * 10);
      for (const [system, run] of Object.entries(await searches(root, messages))) {
        let found = "";
        const ms = await medianMs(async () => void (found = await run(name)), { rounds: 9, warmUp: 5 });
        measured.push({ system, messages, ms, found: found.includes(answer) });
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  const of = (system: string, size: number) =>
    measured.find((row) => row.system === system && row.messages === size);
  return {
    suite: "search",
    question: "How long does the agent's search over the archive take?",
    cases: measured.length,
    passed:
      measured.length > 0 && measured.filter(({ system }) => system === oursName).every(({ found }) => found),
    tables: [
      tableOf(measured, {
        title: "A search for a name that stands once",
        columns: [
          ["system", ({ system }) => system],
          ["archived messages", ({ messages }) => messages],
          ["ms", ({ ms }) => ms],
          ["to ours", ({ messages, ms }) => timesOurs(ms, of(oursName, messages)?.ms ?? 0)],
          ["found", ({ found }) => (found ? "yes" : "no")],
        ],
        note: `Medians of nine searches through the tools, after five to warm up, in a directory. Ours: a file for each compaction of ${fileMessages} messages, searched in the process. deepagents: one file of the whole history, searched by ripgrep where it is installed, else in the process, which passes over files of more than 10 MB.`,
      }),
    ],
    charts: [
      {
        title: "Search over archived messages",
        x: { label: "messages", scale: "log" },
        y: { label: "ms", scale: "log" },
        series: [oursName, theirsName].map((label) => ({
          label,
          points: sizes.map((size) => ({ x: size, y: of(label, size)?.ms ?? Number.NaN })),
        })),
      },
    ],
    comparisons: sizes.map((size) => compare(of(oursName, size), of(theirsName, size))),
    numbers: { measured },
  };
};

interface Row {
  readonly system: string;
  readonly messages: number;
  readonly ms: number;
  readonly found: boolean;
}

/** Times are compared where both found it; a search that found nothing is not fast. */
function compare(ours: Row | undefined, theirs: Row | undefined): Comparison {
  const place = `search over ${(ours?.messages ?? 0).toLocaleString("en")} archived messages`;
  if (ours?.found === true && theirs?.found === true) {
    const rivals = [{ name: theirsName, value: theirs.ms }];
    return lessIsBetter({ measure: place, unit: "ms", ours: ours.ms, rivals });
  }
  const share = (row: Row | undefined) => (row?.found === true ? 1 : 0);
  const rivals = [{ name: theirsName, value: share(theirs) }];
  return {
    measure: `found by a ${place}`,
    unit: "share",
    better: "higher",
    ours: share(ours),
    rivals,
    margin: 0,
  };
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
    [oursName]: async (pattern) => String(await grep?.invoke({ pattern, path: "/context/" }, config)),
    [theirsName]: async (pattern) => String(await theirGrep?.invoke({ pattern }, config)),
  };
}

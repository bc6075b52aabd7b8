import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { historyMarkdown, summaryNotice } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { grepTool } from "./grep-tool.js";

/** Returns the agent's `grep` over an archive with these files, by name. */
async function grepOver(contents: Readonly<Record<string, string | readonly BaseMessage[]>>) {
  const files = VirtualFilesystem.inMemory();
  const { archive } = files.thread("t");
  for (const [name, content] of Object.entries(contents))
    await archive.append(
      `/context/${name}`,
      typeof content === "string" ? content : historyMarkdown(content),
    );
  const tool = grepTool({ files });
  return async (args: Record<string, unknown>, messages: readonly BaseMessage[] = []): Promise<string> =>
    String(await tool.invoke(args, { ...inThread("t"), state: { messages } } as never));
}

const told = (id: string, content: string) => new HumanMessage({ id, content });
const summary = (id: string, content: string) => told(`summary-${id}`, `${summaryNotice}\n\n${content}`);
const stub = (id: string, path: string) =>
  new ToolMessage({ id, tool_call_id: id, name: "read", content: `Full text: ${path}` });

const places = (text: string) => text.split("\n").map((line) => line.split(":")[0]);
const result = "/context/results/read-00000000000000aa.txt";
const newest = "/context/results/read-0000000000000000.txt";
const archive = {
  "history/0001-b.md": [told("1", "the quota is 4"), told("u", "the quota is mine"), told("2", "other")],
  "history/0002-a.md": [
    told("u", "the quota is mine"),
    summary("1", "the quota is 4"),
    told("3", "the quota is 5"),
    stub("4", result),
    told("5", "the quota is 7"),
  ],
  "results/read-00000000000000aa.txt": "the quota is 6",
  "results/read-0000000000000000.txt": "first\nthe quota is 8\nthe quota is 9",
};

it("matches in the archive are in the order of the conversation, a result where the history names it", async () => {
  const grep = await grepOver(archive);
  expect((await grep({ pattern: "the quota is \\d", regex: true })).split("\n")).toEqual([
    "/context/history/0001-b.md:3: the quota is 4",
    "/context/history/0002-a.md:13: the quota is 5",
    `${result}:1: the quota is 6`,
    "/context/history/0002-a.md:21: the quota is 7",
    `${newest}:2: the quota is 8`,
    `${newest}:3: the quota is 9`,
  ]);
});

it("results that only the context names are in its order, after the history", async () => {
  const paths = ["c", "a", "b"].map((name) => `/context/results/${name}.txt`);
  const grep = await grepOver({
    "history/0001-a.md": [told("1", "entry of before")],
    ...Object.fromEntries(paths.map((path) => [path.slice("/context/".length), "entry"])),
  });
  const context = paths.map((path, at) => stub(String(at), path));
  expect(places(await grep({ pattern: "entry" }, context))).toEqual(["/context/history/0001-a.md", ...paths]);
});

it("a message that was archived twice matches once, and the summaries that repeat it do not", async () => {
  const grep = await grepOver(archive);
  expect(await grep({ pattern: "the quota is mine" })).toBe(
    "/context/history/0001-b.md:7: the quota is mine",
  );
  expect(await grep({ pattern: "quota is 4" })).toBe("/context/history/0001-b.md:3: the quota is 4");
});

it("a copy is shown if nothing else matches", async () => {
  const grep = await grepOver({
    "history/0001-a.md": [new AIMessage({ id: "1", content: "seen" })],
    "history/0001-a.jsonl": '{"reasoning":"because"}',
    "history/0002-a.md": [summary("1", "in short, it was seen")],
    "certificates/0001-a.md": "seen: kept",
  });
  expect(await grep({ pattern: "in short" })).toMatch(/^\/context\/history\/0002-a\.md:\d+: in short/);
  expect(await grep({ pattern: "because" })).toMatch(/^\/context\/history\/0001-a\.jsonl:1: /);
  expect(await grep({ pattern: "kept", path: "/context/certificates/" })).toContain("seen: kept");
  expect(await grep({ pattern: "seen" })).toBe("/context/history/0001-a.md:3: seen");
});

it("pages have no gap between them if many matches are copies", async () => {
  const carried = told("u", Array.from({ length: 60 }, (_, line) => `rule ${line}`).join("\n"));
  const later = Array.from({ length: 9 }, (_, at) => [
    `history/${String(at + 2).padStart(4, "0")}-a.md`,
    [carried, told(`m${at}`, `rule of step ${at}`)],
  ]);
  const grep = await grepOver({ "history/0001-a.md": [carried], ...Object.fromEntries(later) });
  const pages = [1, 2, 3, 4].map(async (page) => grep({ pattern: "rule", max_matches: 30, page }));
  const shown = (await Promise.all(pages)).map((text) => text.match(/(?<=: )rule .*/g) ?? []);
  expect(shown.map((lines) => lines.length)).toEqual([30, 30, 9, 0]);
  expect(new Set(shown.flat()).size).toBe(69);
});

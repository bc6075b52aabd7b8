import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionNode } from "../../nodes/compaction-node.js";
import { inThread } from "../../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { fileTools } from "../file-tools.js";
import { searchHistoryTool } from "./search-history-tool.js";

const needle = "The access code of the vault is heronMarsh-4471.";
const result = (step: number): string => (step === 3 ? `${filler(400, step)}\n${needle}` : filler(500, step));
const thread = history({ steps: 12, result });

async function folded(threadId: string) {
  const files = VirtualFilesystem.inMemory();
  await compactionNode({ files, contextWindow: 4_000 })({ messages: thread }, inThread(threadId));
  return files;
}

function ask(
  files: VirtualFilesystem,
  {
    index = RecallIndex.inMemory(),
    threadId = "t",
    ...rest
  }: { index?: RecallIndex; threadId?: string } = {},
  args: Readonly<Record<string, unknown>> = { query: "vault access code" },
): Promise<string> {
  const runtime = { ...inThread(threadId), state: { messages: thread } };
  return searchHistoryTool({ files, index, ...rest }).invoke(
    args as never,
    runtime as never,
  ) as Promise<string>;
}

describe("search_history", () => {
  it("finds folded text by some of its words, at a place where read_file can continue", async () => {
    const files = await folded("t");
    const answer = await ask(files);
    const [, path = "", offset = ""] = /^## (\S+), offset (\d+)/.exec(answer) ?? [];
    expect(answer).toContain(needle);
    const readFile = fileTools({ files }).find(({ name }) => name === "read_file");
    const runtime = { ...inThread("t"), state: { messages: thread } };
    const page = await readFile?.invoke({ path, offset: Number(offset), limit: 80 }, runtime as never);
    expect(page).toContain(needle);
  });

  it("finds nothing of another thread", async () => {
    const files = await folded("t");
    const index = RecallIndex.inMemory();
    expect(await ask(files, { index })).toContain(needle);
    expect(await ask(files, { index, threadId: "t1" })).toContain("Nothing in the archive fits");
  });

  it("fills an index that was lost from the archive", async () => {
    const files = await folded("t");
    const first = await ask(files, { index: RecallIndex.inMemory() });
    expect(await ask(files, { index: RecallIndex.inMemory() })).toBe(first);
  });

  it("answers from the archive when the index was reset in the middle of a search", async () => {
    const files = await folded("t");
    const index = RecallIndex.inMemory();
    const first = await ask(files, { index });
    const search = index.search.bind(index);
    index.search = async (...args) => {
      index.search = search;
      await index.removeThread("t");
      return search(...args);
    };
    expect(await ask(files, { index })).toBe(first);
  });

  it("indexes each file of the archive once, and new files later", async () => {
    const files = await folded("t");
    const index = RecallIndex.inMemory();
    await ask(files, { index });
    const { archive } = files.thread("t");
    await archive.append("/context/results/late.txt", "A late word about the quokka.");
    expect(await ask(files, { index }, { query: "quokka" })).toContain("A late word");
    const paths = [];
    for await (const { path } of archive.list()) if (!path.endsWith(".jsonl")) paths.push(path);
    expect(paths.length).toBeGreaterThan(2);
    expect(await index.missing("t", paths)).toEqual([]);
  });

  it("searches only below the given path", async () => {
    const files = await folded("t");
    await files.thread("t").archive.append("/context/results/vault.txt", "vault");
    const answer = await ask(files, {}, { query: "vault", path: "/context/results/" });
    expect(answer).toContain("## /context/results/vault.txt, offset 0");
    expect(answer).not.toContain("/context/history/");
  });

  it("finds a message that stays beside every summary once, however many files have it, also in an index that is filled anew", async () => {
    const files = VirtualFilesystem.inMemory();
    const index = RecallIndex.inMemory();
    const node = compactionNode({ files, contextWindow: 4_000 });
    const stays = new HumanMessage({ id: "rule", content: "The quokka is fed at noon." });
    // The index listens from its first search on.
    await ask(files, { index });
    let messages: readonly BaseMessage[] = [...thread.slice(0, 1), stays];
    for (let step = 0; step < 40; step++) {
      const id = `more-${step}`;
      const call = { type: "tool_call" as const, id, name: "look", args: { step } };
      const reply = new AIMessage({ id: `ai-${id}`, content: "", tool_calls: [call] });
      const result = new ToolMessage({ id: `r-${id}`, tool_call_id: id, content: filler(400, step) });
      messages = messagesAfter(await node({ messages: [...messages, reply, result] }, inThread("t")), [
        ...messages,
        reply,
        result,
      ]);
    }
    const paths: string[] = [];
    for await (const { path } of files.archive("t").list()) paths.push(path);
    expect(paths.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(3);
    for (const searched of [index, RecallIndex.inMemory()]) {
      await ask(files, { index: searched }, { query: "quokka" });
      const hits = await searched.search("quokka", { thread: "t", limit: 20 });
      expect(hits.filter(({ text }) => text.includes("quokka"))).toHaveLength(1);
    }
  });

  it("tells the agent what to do when the index fails", async () => {
    const files = await folded("t");
    const index = RecallIndex.inMemory();
    await index.close();
    expect(await ask(files, { index })).toMatch(/^Error: /);
  });

  it("shows the lines of a file that was read twice once, and other hits in their place", async () => {
    const files = VirtualFilesystem.inMemory();
    const { archive } = files.thread("t");
    const shared = ["quokka one", "quokka two", "quokka three"];
    await archive.append("/context/results/a.txt", shared.join("\n"));
    await archive.append("/context/results/b.txt", [...shared, "quokka four"].join("\n"));
    await archive.append("/context/results/c.txt", "a note about one quokka of many animals in the park");
    const answer = await ask(files, {}, { query: "quokka", limit: 3 });
    for (const line of [...shared, "quokka four"]) expect(answer.split(line)).toHaveLength(2);
    expect(answer).toContain("a note about one quokka");
  });

  it("answers without a limit in 3,200 characters, and with one in as many passages", async () => {
    const files = VirtualFilesystem.inMemory();
    const { archive } = files.thread("t");
    for (let at = 0; at < 12; at++)
      await archive.append(
        `/context/results/${at}.txt`,
        `quokka ${at}\n${`filler ${at} of the file\n`.repeat(10)}${at}`,
      );
    const usual = await ask(files, {}, { query: "quokka" });
    const asked = await ask(files, {}, { query: "quokka", limit: 12 });
    expect(usual.length).toBeGreaterThan(2_200);
    expect(usual.length).toBeLessThanOrEqual(3_201);
    expect(asked.match(/^## /gm)).toHaveLength(12);
  });
});

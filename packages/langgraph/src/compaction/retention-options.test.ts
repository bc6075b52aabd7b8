import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { foldOf, pin, tfIdfImportance } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { filler, history } from "../testing/history.js";
import { compact } from "../testing/compact.js";

const args = (step: number) => ({ path: `src/file-${step}.ts` });
const messages = history({ steps: 25, args, toolName: "read_file", result: (step) => filler(300, step) });

async function compacted(options: Partial<ContextOptions>, list: readonly BaseMessage[] = messages) {
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const onEvent = (event: ContextEvent) => events.push(event);
  const resolved = resolveOptions({ files, contextWindow: 10_000, onEvent, ...options });
  const config = { configurable: { thread_id: "t" } };
  const { messages: context } = await compact({ messages: list, config, only: "summary" }, resolved);
  const ids = context.flatMap((message) => (foldOf(message) === undefined ? (message.id ?? []) : []));
  const standIn = context.find(isSummary);
  const certificate = events.flatMap((event) =>
    event.type === "context.certificate" ? [event.certificate] : [],
  )[0];
  const pins = events.filter((event) => event.type === "context.pins");
  return { context, ids, pins, text: standIn?.text ?? "", certificate, archive: files.thread("t").archive };
}

it("keeps the calls and results of pinned tools and files whole", async () => {
  expect((await compacted({})).ids).not.toContain("result-3");
  const byFile = await compacted({ pinFiles: ["src/file-3.ts"] });
  expect(byFile.ids).toEqual(expect.arrayContaining(["ai-3", "result-3"]));
  expect(byFile.ids).not.toContain("result-4");
  const byTool = await compacted({ pinTools: ["read_file"] });
  expect(byTool.context).toBe(messages);
});

it("keeps no file of the name of a pinned one elsewhere, and bounds what it keeps of pinned ones", async () => {
  expect((await compacted({ pinFiles: ["file-3.ts"] })).ids).not.toContain("result-3");
  const all = await compacted({ pinFiles: ["/src/*"], limits: { pinnedFiles: 100_000 } });
  expect(all.context).toBe(messages);
  expect(all.pins).toEqual([]);
  const bounded = await compacted({ pinFiles: ["/src/*"], limits: { pinnedFiles: 2_500 } });
  expect(bounded.ids).toContain("result-20");
  expect(bounded.ids).not.toContain("result-3");
  const leftOut = expect.arrayContaining(["src/file-3.ts"]) as string[];
  expect(bounded.pins).toEqual([
    { type: "context.pins", leftOut, limit: 2_500, reason: "trigger", threadId: "t" },
  ]);
  expect(() =>
    resolveOptions({ files: VirtualFilesystem.inMemory(), contextWindow: 9_000, pinFiles: [".."] }),
  ).toThrow("pinFiles");
});

it("keeps a message that pin has marked", async () => {
  const marked = messages.map((message) => (message.id === "result-7" ? pin(message) : message));
  expect((await compacted({}, marked)).ids).toEqual(expect.arrayContaining(["ai-7", "result-7"]));
});

it("keeps the given number of turns", async () => {
  const turns = await compacted({ keep: { turns: 3 } });
  expect(turns.ids.filter((id) => id.startsWith("ai-"))).toEqual(["ai-22", "ai-23", "ai-24"]);
});

it("leaves a context of few messages alone", async () => {
  const { context } = await compacted({ minMessages: messages.length + 1 });
  expect(context).toBe(messages);
});

function importance(span: readonly BaseMessage[]): readonly number[] {
  return span.map(({ id }) => (id === "result-9" ? 1 : 0));
}

it("keeps what is most important whole, within the budget", async () => {
  const { ids } = await compacted({ importance, limits: { verbatim: 400 } });
  expect(ids).toEqual(expect.arrayContaining(["ai-9", "result-9"]));
  const some = await compacted({ importance: tfIdfImportance, limits: { verbatim: 700 } });
  expect(some.ids.length).toBeGreaterThan((await compacted({})).ids.length);
});

it("quotes lines word for word within the budget, and none if it is 0", async () => {
  expect((await compacted({ limits: { excerpts: 0 } })).text).not.toContain("## Word for word");
  const { text, certificate } = await compacted({ limits: { excerpts: 400 } });
  expect(text).toContain("## Word for word");
  expect(certificate?.excerpts).toBeGreaterThan(0);
});

it("writes a certificate that a person can read, and loses none of the user's rules", async () => {
  const asked = [new HumanMessage({ id: "q", content: "Never restart host_77." }), ...messages];
  const { certificate, archive } = await compacted({}, asked);
  const text = await archive.readText(certificate?.path ?? "");
  expect(certificate).toMatchObject({ lost: [], kinds: { constraint: { atoms: 2, kept: 2 } } });
  expect(text).toContain("- constraint: Never restart host_77.");
});

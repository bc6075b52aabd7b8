import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage, estimateTokens, foldOf, truncateToolInputs } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeArchive } from "../run/commit.js";
import { sealFolds } from "../run/sealed-folds.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { offloadLargeToolResultNode } from "../nodes/rung-nodes.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { unfoldTool, type UnfoldToolOptions } from "./unfold-tool.js";

const config = inThread("t");
const thread = history({ steps: 12, result: (step) => filler(500, step) });

async function summarized() {
  const files = VirtualFilesystem.inMemory();
  const node = compactionNode({ files, contextWindow: 4_000 });
  const messages = messagesAfter(await node({ messages: thread }, config), thread);
  const fold = messages.flatMap((message) => foldOf(message) ?? [])[0];
  if (fold === undefined) throw new Error("nothing was folded");
  return { files, messages, fold };
}

function ask(
  options: UnfoldToolOptions,
  messages: readonly BaseMessage[],
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const runtime = { ...config, state: { messages } };
  return unfoldTool(options).invoke(args, runtime as never) as Promise<string>;
}

describe("unfold", () => {
  it("returns all of the originals in pages, by the id of a fold or by its path", async () => {
    const { files, messages, fold } = await summarized();
    const whole = await files.thread("t").archive.readText(fold.path);
    for (const name of [fold.id, fold.path]) {
      let text = "";
      for (let offset = 0, pages = 0; offset < whole.length && pages < 100; pages++) {
        const answer = await ask({ files, resultCharacters: 3_000 }, messages, { fold: name, offset });
        const [head = "", ...rest] = answer.split("\n");
        expect(head).toContain(
          `of ${whole.length} characters, about ${estimateTokens([new HumanMessage(whole)])} tokens`,
        );
        expect(answer.length).toBeLessThan(3_300);
        text += rest.join("\n");
        offset = Number(/go on with offset (\d+)/.exec(head)?.[1] ?? whole.length);
      }
      expect(text).toBe(whole);
    }
  });

  it("finds the fold and the free room in a context beside the thread", async () => {
    const { files, messages: context, fold } = await summarized();
    const options = { files, contextWindow: 4_000 };
    const state = { messages: thread, context };
    const beside = unfoldTool({ ...options, outputKey: "context" });
    const answer = await beside.invoke({ fold: fold.id }, { ...config, state } as never);
    expect(answer).toBe(await ask(options, context, { fold: fold.id }));
    expect(answer).toContain("[" + fold.id);
  });

  it("shows the whole call behind an archived input", async () => {
    const files = VirtualFilesystem.inMemory();
    const long = history({ steps: 3, args: (step) => ({ path: "a.md", content: filler(2_000, step) }) });
    const rewrite = truncateToolInputs(long);
    await writeArchive(rewrite.writes, files.thread("t").archive);
    const { messages, folds } = await sealFolds(rewrite, files.seal("t"));
    const [fold] = folds;
    const answer = await ask({ files }, messages, { fold: fold?.id });
    expect(answer).toContain("Calls search:");
    expect(answer).toContain("row 0 of 0 holds 0");
    expect(await ask({ files }, messages, { fold: fold?.path })).toContain("row 0 of 0 holds 0");
  });

  it("shows the originals of a fold inside other folds, by its id and by its path", async () => {
    const { files, messages, fold: inner } = await summarized();
    const later = history({ steps: 12, result: (step) => filler(500, step + 50) }).slice(1);
    const grown = [
      ...messages,
      ...later.map((message) => copyMessage(message, { id: `later-${message.id}` })),
    ];
    const node = compactionNode({ files, contextWindow: 4_000 });
    const outer = messagesAfter(await node({ messages: grown }, config), grown);
    expect(outer.flatMap((message) => foldOf(message)?.id ?? [])).not.toContain(inner.id);
    const whole = await files.thread("t").archive.readText(inner.path);
    for (const name of [inner.id, inner.path]) {
      const answer = await ask({ files }, outer, { fold: name });
      expect(answer).toContain(`of ${whole.length} characters`);
      expect(answer).toContain(whole.slice(0, 500));
    }
  });

  it("returns a page that fits the free part of the window, and never an empty one", async () => {
    const { files, messages, fold } = await summarized();
    const used = estimateTokens(messages);
    const small = await ask({ files, contextWindow: used + 1_000 }, messages, { fold: fold.id });
    expect(estimateTokens([new HumanMessage(small)])).toBeLessThan(1_000);
    expect(small).toContain("go on with offset");
    const full = await ask({ files, contextWindow: used }, messages, { fold: fold.id });
    expect(full.length).toBeGreaterThan(300);
    expect(full.length).toBeLessThan(800);
  });

  it("returns a page of dense text that no node offloads", async () => {
    const contextWindow = 16_000;
    const digits = Array.from({ length: 9_000 }, (_, row) => row % 7).join(",");
    const dense = history({ steps: 1, result: () => digits });
    const files = VirtualFilesystem.inMemory();
    const node = offloadLargeToolResultNode({ files, contextWindow });
    const folded = messagesAfter(await node({ messages: dense }, config), dense);
    const fold = folded.flatMap((message) => foldOf(message) ?? [])[0];
    const page = await ask({ files, contextWindow }, folded, { fold: fold?.path });
    expect(page).toContain("go on with offset");
    expect(estimateTokens([new HumanMessage(page)])).toBeLessThan(contextWindow / 4);
  });

  it.each([
    ["a fold that is not there", "summary-0000000000000000"],
    ["a path outside the archive", "/etc/passwd"],
    ["a path that climbs out of it", "/context/../../threads/other/context/history/1.md"],
    ["an archive path that was never written", "/context/history/none.md"],
  ])("answers %s with an error that says what exists, and does not throw", async (_, name) => {
    const { files, messages, fold } = await summarized();
    const answer = await ask({ files }, messages, { fold: name });
    expect(answer).toMatch(/^Error: /);
    expect(answer).toContain(`Folds: ${fold.path}.`);
  });

  it("returns a bounded answer to any question, and does not throw", async () => {
    const { files, messages, fold } = await summarized();
    const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(fold.id, fold.path, "__proto__"));
    const args = fc.record({
      fold: name.filter((text) => text.trim() !== ""),
      offset: fc.nat(),
      limit: fc.integer({ min: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const answer = await ask({ files, resultCharacters: 1_000 }, messages, given);
        expect(answer.length).toBeLessThan(2_500);
      }),
    );
  });

  it("shows no other thread's archive", async () => {
    const { files, messages, fold } = await summarized();
    const runtime = { ...inThread("other"), state: { messages } };
    const answer = (await unfoldTool({ files }).invoke({ fold: fold.path }, runtime as never)) as string;
    expect(answer).toMatch(/^Error: /);
  });
});

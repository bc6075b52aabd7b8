import { AIMessage, HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { offloadLargeToolResultNode } from "./rung-nodes.js";

const config = inThread("t");

it("replaces a large result by path, size, kind and first lines, and keeps the rest of the message", async () => {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const node = offloadLargeToolResultNode({
    files,
    contextWindow: 200_000,
    onEvent: (event) => events.push(event),
  });
  const messages = history({ steps: 2, result: (step) => (step === 1 ? filler(21_000) : "short") });
  const after = messagesAfter(await node({ messages }, config), messages);
  const last = after.at(-1) as ToolMessage;
  const fold = foldOf(last);

  expect(last).toMatchObject({ id: "result-1", tool_call_id: "call-1", name: "search" });
  expect(last.text).toContain(`Full text: ${fold?.path}`);
  expect(last.text).toContain("lines,");
  expect(last.text).toContain("row 9 of 1");
  expect(last.text).not.toContain("row 10 of 1");
  expect(after.slice(0, -1)).toEqual(messages.slice(0, -1));
  expect(await files.thread("t").archive.readText(fold?.path ?? "")).toBe(filler(21_000));
  expect(events).toEqual([{ type: "context.fold", fold, reason: "arrival", threadId: "t" }]);
  expect(await unfolded(after, files, "t")).toEqual(messages.map((message) => toStoredMessage(message)));
});

it("returns an empty update when every result is small, and leaves its input alone", async () => {
  const node = offloadLargeToolResultNode({ files: VirtualFilesystem.inMemory(), contextWindow: 200_000 });
  const messages = Object.freeze(history({ steps: 3 }));
  expect(await node({ messages }, config)).toEqual({});
});

it("offloads nothing twice", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = offloadLargeToolResultNode({ files, contextWindow: 200_000 });
  const messages = history({ steps: 1, result: () => filler(21_000) });
  const after = messagesAfter(await node({ messages }, config), messages);
  expect(await node({ messages: after }, config)).toEqual({});
});

it("keeps dollar signs of a result as they are", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = offloadLargeToolResultNode({ files, contextWindow: 200_000 });
  const dollars = `$& $' $\` $$ $1\n${filler(21_000)}`;
  const messages = history({ steps: 1, result: () => dollars });
  const after = messagesAfter(await node({ messages }, config), messages);
  expect(after.at(-1)?.text).toContain("$& $' $` $$ $1\nrow 0 of 1");
  expect(await files.thread("t").archive.readText(foldOf(after.at(-1)!)?.path ?? "")).toBe(dollars);
});

it("shows the model all of twelve parallel results of 75,000 characters as previews, each of which can be read", async () => {
  const read = tool(({ part }) => bigResult(part), {
    name: "read_part",
    schema: z.object({ part: z.number() }),
  });
  const model = new ScriptedModel((_, call) =>
    call === 0 ? callParts() : new AIMessage({ id: "end", content: "done" }),
  );
  const files = VirtualFilesystem.inMemory();
  const contextWindow = 128_000;
  const compact = offloadLargeToolResultNode({ files, contextWindow });
  const graph = agentGraph({ model, tools: [read], compact });
  await graph.invoke({ messages: [new HumanMessage("Read the twelve parts")] }, config);
  const prompt = model.prompts[1] ?? [];
  const results = prompt.filter((message) => message.getType() === "tool");
  const folded = results.filter((message) => foldOf(message) !== undefined);

  expect(results).toHaveLength(12);
  expect(folded.length).toBeGreaterThan(8);
  expect(results.map((message) => message.text.includes("part "))).toEqual(results.map(() => true));
  expect(estimateTokens(prompt)).toBeLessThan(contextWindow / 2);
  expect(illegalities(prompt)).toEqual([]);
  expect(await Promise.all(folded.map((message) => archived(files, message)))).toEqual(
    folded.map((message) => bigResult(Number(/part (\d+)/.exec(message.text)?.[1]))),
  );
});

function callParts(): AIMessage {
  const calls = Array.from({ length: 12 }, (_, part) => ({
    id: `c${part}`,
    name: "read_part",
    args: { part },
  }));
  return new AIMessage({ id: "calls", content: "", tool_calls: calls });
}

function bigResult(part: number): string {
  return `part ${part}\n${filler(40_000, part)}`.slice(0, 75_000);
}

async function archived(files: VirtualFilesystem, message: BaseMessage): Promise<string> {
  return files.thread("t").archive.readText(foldOf(message)?.path ?? "");
}

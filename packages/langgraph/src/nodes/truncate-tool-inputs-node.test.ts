import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { unfolded } from "../testing/storage.js";
import { truncateToolInputsNode } from "./rung-nodes.js";

const config = inThread("t");
const written = (step: number) => ({ path: `/report-${step}.md`, content: filler(1_000, step) });
const writing = (steps: number) =>
  history({ steps, args: written, toolName: "write_file", result: () => "Wrote it." });

/** A window that a history fills to a share. */
function windowFor(messages: readonly BaseMessage[], share: number): number {
  return Math.round(estimateTokens(messages) / share);
}

it("does nothing below 0.85 of the window", async () => {
  const messages = writing(10);
  const contextWindow = windowFor(messages, 0.84);
  const node = truncateToolInputsNode({ files: VirtualFilesystem.inMemory(), contextWindow });
  expect(await node({ messages }, config)).toEqual({});
});

it("replaces large arguments of old calls by pointers to the exact text, and leaves the newest alone", async () => {
  const files = VirtualFilesystem.inMemory();
  const messages = writing(20);
  const node = truncateToolInputsNode({ files, contextWindow: windowFor(messages, 0.86) });
  const after = messagesAfter(await node({ messages }, config), messages);
  const contents = after
    .filter((message) => AIMessage.isInstance(message))
    .map(({ tool_calls: calls }) => String(calls?.[0]?.args["content"]));
  const pointers = contents.filter((content) => content.startsWith("[Input of"));

  expect(pointers).toHaveLength(18);
  expect(contents.slice(-2)).toEqual([written(18).content, written(19).content]);
  expect(pointers[3]).toContain("as passed for /report-3.md");
  const path = /archived: (\S+?),/.exec(pointers[3] ?? "")?.[1] ?? "";
  expect(await files.thread("t").archive.readText(path)).toBe(written(3).content);
  expect(await unfolded(after, files, "t")).toEqual(messages.map((message) => toStoredMessage(message)));
});

it("changes each call once, so that the prompt prefix is byte-stable afterwards", async () => {
  const files = VirtualFilesystem.inMemory();
  const messages = writing(20);
  const node = truncateToolInputsNode({ files, contextWindow: windowFor(messages, 0.86) });
  const first = messagesAfter(await node({ messages }, config), messages);
  const grown = [...first, ...writing(40).slice(first.length)];
  const second = messagesAfter(await node({ messages: grown }, config), grown);
  const folded = first.findLastIndex((message) => foldOf(message) !== undefined);
  const stored = (list: readonly BaseMessage[]) =>
    list.slice(0, folded + 1).map((one) => toStoredMessage(one));

  expect(folded).toBeGreaterThan(30);
  expect(second.filter((message) => foldOf(message)).length).toBeGreaterThan(18);
  expect(stored(second)).toEqual(stored(first));
});

it("leaves pinned messages as they are", async () => {
  const messages = writing(20);
  const contextWindow = windowFor(messages, 0.9);
  const node = truncateToolInputsNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow,
    pin: isThirdCall,
  });
  const after = messagesAfter(await node({ messages }, config), messages);
  expect(after[5]).toEqual(messages[5]);
  expect(foldOf(after[3]!)?.kind).toBe("input");
});

function isThirdCall(message: BaseMessage): boolean {
  return message.id === "ai-2";
}

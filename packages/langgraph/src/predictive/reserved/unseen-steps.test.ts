import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, unfold, withIds } from "@palimpsest/context";
import { addedIllegalities, historyArbitrary, messageImage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../../context-event.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { predictiveContextNode } from "../predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };

/** Returns how a result is sent: whole, or as the text with its path. */
function standing(result: BaseMessage, context: readonly BaseMessage[]): "whole" | "preview" | "missing" {
  const same = context.find(({ id }) => id === result.id);
  if (same !== undefined) {
    const fold = foldOf(same);
    if (fold === undefined || fold.id === foldOf(result)?.id) return "whole";
    return same.text.includes(fold.path) ? "preview" : "missing";
  }
  const told = `[New result of ${result.name ?? "a call"}, `;
  return context.some(({ text }) => text.includes(told) && text.includes("Full text: /context/"))
    ? "preview"
    : "missing";
}

function unseenResults(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages
    .slice(messages.findLastIndex((message) => AIMessage.isInstance(message)) + 1)
    .filter((message) => ToolMessage.isInstance(message));
}

async function selected(messages: readonly BaseMessage[], budget: number) {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const node = predictiveContextNode({ files, budget, onEvent, onError: "throw" });
  const after = messagesAfter(await node({ messages }, config), messages);
  return { after, events, archive: files.thread("t").archive };
}

/** Returns a call with unseen results of the given tokens. */
function calling(sizes: readonly number[]): readonly BaseMessage[] {
  const calls = sizes.map((_, at) => ({
    id: `new-${at}`,
    name: "read_file",
    args: { path: `/big_${at}.md` },
  }));
  return [
    new AIMessage({ id: "calling", content: "", tool_calls: calls }),
    ...sizes.map(
      (tokens, at) =>
        new ToolMessage({
          id: `unseen-${at}`,
          name: "read_file",
          tool_call_id: `new-${at}`,
          content: filler(tokens, 500 + at),
        }),
    ),
  ];
}

describe("an unseen result", () => {
  it("is sent after its call as a preview with a path if it exceeds the budget", async () => {
    const messages = [...history({ steps: 40, result: (step) => filler(300, step) }), ...calling([20_000])];
    const { after, archive } = await selected(messages, 6_000);
    expect(estimateTokens(after)).toBeLessThanOrEqual(6_000);
    expect(addedIllegalities(messages, after)).toEqual([]);
    const result = after.at(-1);
    expect(result).toMatchObject({ id: "unseen-0", tool_call_id: "new-0" });
    expect(foldOf(result as BaseMessage)).toMatchObject({ kind: "offload", reason: "predicted" });
    expect(result?.text).toContain(messages.at(-1)?.text.split("\n")[0]?.slice(0, 40));
    expect(await archive.readText(foldOf(result as BaseMessage)?.path ?? "")).toBe(messages.at(-1)?.text);
  });

  it("stays whole beside a larger one of the same step", async () => {
    const messages = [
      ...history({ steps: 40, result: (step) => filler(300, step) }),
      ...calling([200, 9_000]),
    ];
    const { after } = await selected(messages, 6_000);
    const stands = unseenResults(messages).map((result) => standing(result, after));
    expect(stands).toEqual(["whole", "preview"]);
  });

  it("is whole again in a new node after the preview", async () => {
    const messages = [...history({ steps: 40, result: (step) => filler(300, step) }), ...calling([20_000])];
    const files = VirtualFilesystem.inMemory();
    const options = { files, budget: 6_000, onError: "throw" } as const;
    const lasting = predictiveContextNode(options);
    const before = messagesAfter(await lasting({ messages }, config), messages);
    const next = [...before, ...history({ steps: 30, result: (step) => filler(300, 1_000 + step) })].map(
      (message, at) => (at < before.length ? message : rename(message, `later-${at}`)),
    );
    const one = messagesAfter(await lasting({ messages: next }, config), next);
    const other = messagesAfter(await predictiveContextNode(options)({ messages: next }, config), next);
    expect(one.map(({ text }) => text)).toEqual(other.map(({ text }) => text));
    const { archive } = files.thread("t");
    const opened = await unfold(one, (path) => archive.readText(path));
    expect(opened.slice(0, messages.length).map((message) => messageImage(message))).toEqual(
      messages.map((message) => messageImage(message)),
    );
  });

  it("is sent whole or as a preview, over any history and any budget", async () => {
    const counts = { whole: 0, preview: 0, missing: 0 };
    await fc.assert(
      fc.asyncProperty(
        historyArbitrary(),
        fc.integer({ min: 600, max: 3_000 }),
        fc.array(fc.integer({ min: 5, max: 4_000 }), { minLength: 1, maxLength: 4 }),
        async (past, budget, sizes) => {
          const messages = withIds([...past, ...calling(sizes)]);
          const { after, archive } = await selected(messages, budget);
          expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
          expect(addedIllegalities(messages, after)).toEqual([]);
          const stands = unseenResults(messages).map((result) => standing(result, after));
          for (const one of stands) counts[one]++;
          expect(stands).not.toContain("missing");
          const opened = await unfold(after, (path) => archive.readText(path));
          expect(opened.map((message) => messageImage(message))).toEqual(
            messages.map((message) => messageImage(message)),
          );
        },
      ),
      { numRuns: 60 },
    );
    expect(counts.whole).toBeGreaterThan(0);
    expect(counts.preview).toBeGreaterThan(0);
  });
});

function rename(message: BaseMessage, id: string): BaseMessage {
  const kwargs = { ...(message as { lc_kwargs?: Record<string, unknown> }).lc_kwargs, id };
  return new (message.constructor as new (fields: object) => BaseMessage)(kwargs);
}

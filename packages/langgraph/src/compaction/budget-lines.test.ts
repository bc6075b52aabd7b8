import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { toStoredMessage } from "@palimpsest/context";
import { historyArbitrary, illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompactionState } from "../run/context-state.js";
import { resolveOptions } from "../options/resolve-options.js";
import { filler } from "../testing/history.js";
import { withContextBudget } from "./budget-lines.js";
import { compact } from "../testing/compact.js";

const config = { configurable: { thread_id: "t" } };
const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000, agentControlled: true };

function thread(tokens: number, todos?: readonly { content: string; status: string }[]): BaseMessage[] {
  const call = { id: "c", name: "write_todos", args: { todos: todos ?? [] }, type: "tool_call" } as const;
  return [
    new HumanMessage({ id: "q", content: filler(tokens) }),
    new AIMessage({ id: "a", content: "", tool_calls: [call] }),
    new ToolMessage({ id: "r", content: "ok", tool_call_id: "c" }),
  ];
}

/** Returns the state after the node has run before a model call. */
async function stepped(messages: readonly BaseMessage[], state: CompactionState = {}, given = {}) {
  const outcome = await compact({ messages, state, config }, resolveOptions({ ...options, ...given }));
  return { messages: outcome.messages, state: { ...state, ...outcome.state } };
}

async function lineOf(messages: readonly BaseMessage[]): Promise<string | undefined> {
  const { state } = await stepped(messages);
  return withContextBudget(messages, state).at(-1)?.text;
}

describe("the budget line", () => {
  it("says how full the window is, in tens of percent, and when it is compacted automatically", async () => {
    expect(await lineOf(thread(56_000))).toBe(
      "ok\n\n[Context: about 60 % of the window is used; at 95 % it is compacted for you. " +
        "Go on, and call compress_context when the present piece of work is done.]",
    );
  });

  it("advises a compaction when a task is done, and when the user asks for something new", async () => {
    const advice = "A piece of work has just ended";
    expect(await lineOf(thread(56_000, [{ content: "Read a", status: "completed" }]))).toContain(advice);
    expect(await lineOf(thread(56_000, [{ content: "Read a", status: "pending" }]))).not.toContain(advice);
    const asked = [
      ...thread(56_000),
      new AIMessage({ id: "b", content: "Done." }),
      new HumanMessage({ id: "m", content: "More" }),
    ];
    expect(await lineOf(asked)).toContain(advice);
  });

  it.each<[string, readonly BaseMessage[], object]>([
    ["where a request would be refused", thread(40_000), {}],
    ["behind the model's words", thread(56_000).slice(0, 2), {}],
    ["without messages", [], {}],
    ["for an agent that does not control its context", thread(56_000), { agentControlled: false }],
  ])("is not there %s", async (_, messages, given) => {
    const { state } = await stepped(messages, {}, given);
    expect(withContextBudget(messages, state)).toBe(messages);
  });

  it("is a block of its own after content in blocks", async () => {
    const image = { type: "image_url", image_url: { url: "data:," } };
    const messages = [
      ...thread(56_000),
      new AIMessage({ id: "b", content: "And?" }),
      new HumanMessage({ id: "i", content: [image] }),
    ];
    const { state } = await stepped(messages);
    expect(withContextBudget(messages, state).at(-1)?.content).toEqual([
      image,
      { type: "text", text: expect.stringMatching(/^\[Context: about 60 %/) as string },
    ]);
  });

  it("is not part of the thread", async () => {
    const messages = thread(56_000);
    const stored = JSON.stringify(messages.map((message) => toStoredMessage(message)));
    const { messages: after, state } = await stepped(messages);
    expect(illegalities(withContextBudget(after, state))).toEqual([]);
    expect(JSON.stringify(after.map((message) => toStoredMessage(message)))).toBe(stored);
  });

  it("stays where it was sent until a compaction, so that every prompt begins with the one before", async () => {
    let lines = 0;
    await fc.assert(
      fc.asyncProperty(historyArbitrary({ maxTurns: 6 }), async (history) => {
        const messages = history.map((message, index) => Object.assign(message, { id: `m${index}` }));
        let state: CompactionState = {};
        let sent: readonly BaseMessage[] = [];
        const window = { contextWindow: 3_000, trigger: { fraction: 0.99 }, agentTrigger: { tokens: 10 } };
        for (let count = 1; count <= messages.length; count++) {
          const before = messages.slice(0, count);
          const step = await stepped(before, state, { ...window, limits: { offload: 1e6, batch: 1e6 } });
          if (step.messages !== before) return;
          ({ state } = step);
          const prompt = withContextBudget(before, state);
          expect(images(prompt.slice(0, sent.length))).toEqual(images(sent));
          sent = prompt;
        }
        lines += state.budgetLines?.length ?? 0;
      }),
      { numRuns: 60 },
    );
    expect(lines).toBeGreaterThan(5);
  });

  it("is not repeated", async () => {
    const messages = thread(56_000);
    const { state } = await stepped(messages);
    const more = [
      ...messages,
      new AIMessage({ id: "b", content: "", tool_calls: [{ id: "d", name: "ls", args: {} }] }),
      new ToolMessage({ id: "s", content: "empty", tool_call_id: "d" }),
    ];
    expect((await stepped(more, state)).state.budgetLines).toHaveLength(1);
    expect((await stepped(messages, state)).state).toEqual(state);
  });

  it("leaves the context with the messages that a compaction folds", async () => {
    const talked = [
      new HumanMessage({ id: "q", content: "Go" }),
      new AIMessage({ id: "a", content: filler(56_000) }),
      new HumanMessage({ id: "n", content: "Now this." }),
    ];
    const messages = [...talked, ...later()];
    const { state } = await stepped(talked);
    expect(state.budgetLines?.map((line) => line.after)).toEqual(["n"]);
    const after = await stepped(messages, state, { trigger: { tokens: 50_000 }, keep: { messages: 1 } });
    expect(after.messages).not.toBe(messages);
    expect(after.state.budgetLines).toEqual([
      {
        after: "last",
        text: expect.stringMatching(/^\[Context: compacted\. About [1-9] % of the/) as string,
      },
    ]);
  });
});

function later(): BaseMessage[] {
  return [
    new AIMessage({ id: "e", content: filler(2_000) }),
    new HumanMessage({ id: "last", content: "And?" }),
  ];
}

function images(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map((message) => JSON.stringify(toStoredMessage(message)));
}

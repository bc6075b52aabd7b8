import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { estimateTokens, unfold } from "@palimpsest/context";
import { staleReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { foldNode } from "../folding/fold-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import type { RewriteInterval } from "./rewrite-interval.js";

const config = { configurable: { thread_id: "t" } };
const budget = 8_000;
const contextWindow = 40_000;

interface Options {
  readonly files: VirtualFilesystem;
  readonly every?: RewriteInterval;
}

const nodes: Readonly<Record<string, (options: Options) => GraphNode>> = {
  foldNode: (options) => foldNode({ ...options, contextWindow }),
  predictiveContextNode: (options) => predictiveContextNode({ ...options, budget }),
  "predictiveContextNode, policy pace": (options) =>
    predictiveContextNode({ ...options, budget, policy: "pace" }),
};

/** Tokens of which an interval is a share. */
const limits: Readonly<Record<string, number>> = {
  foldNode: contextWindow,
  predictiveContextNode: budget,
  "predictiveContextNode, policy pace": budget,
};

function stepMessages(at: number, reasons: boolean): readonly BaseMessage[] {
  const thought = { type: "thinking", thinking: `Thought ${at}`, signature: `signed ${at}` };
  const tool_calls = [{ id: `k${at}`, name: "read", args: { page: at } }];
  const content = [...(reasons ? [thought] : []), { type: "text", text: `Page ${at}` }];
  return [
    new AIMessage({ id: `a${at}`, content, tool_calls }),
    new ToolMessage({ id: `r${at}`, tool_call_id: `k${at}`, content: `Line ${at} of the page. `.repeat(60) }),
  ];
}

/** Plays 60 steps and returns every prompt, the steps before which an earlier message changed, and what unfolds. */
async function play(name: string, { every, reasons }: { every?: RewriteInterval; reasons: boolean }) {
  const files = VirtualFilesystem.inMemory();
  const thread: BaseMessage[] = [new HumanMessage({ id: "h", content: "Read all pages." })];
  const prompts: (readonly BaseMessage[])[] = [];
  const rewrites: number[] = [];
  const stale: string[] = [];
  let context: readonly BaseMessage[] = [...thread];
  for (let at = 0; at < 60; at++) {
    // A new node at each step: nothing is kept in it.
    const node = nodes[name]!({ files, ...(every === undefined ? {} : { every }) });
    const { messages } = await node({ messages: context, compaction: {} }, config);
    const sent = Overwrite.isInstance<readonly BaseMessage[]>(messages) ? messages.value : context;
    if (sent !== context) rewrites.push(at);
    stale.push(...staleReasoning(context, sent));
    prompts.push(sent);
    const added = stepMessages(at, reasons);
    thread.push(...added);
    context = [...sent, ...added];
  }
  const opened = await unfold(context, (path) => files.archive("t").readText(path));
  return { prompts, rewrites, stale, thread, opened };
}

const distances = (steps: readonly number[]) =>
  steps.slice(1).map((step, index) => step - (steps[index] ?? 0));

describe.each(Object.keys(nodes))("%s with an interval", (name) => {
  it("only appends for as many steps as `every` says, and loses nothing", async () => {
    const { rewrites, thread, opened } = await play(name, { every: 5, reasons: false });
    expect(rewrites.length).toBeGreaterThan(3);
    expect(Math.min(...distances(rewrites))).toBeGreaterThanOrEqual(5);
    expect(Math.max(...distances(rewrites))).toBeLessThanOrEqual(6);
    expect(opened).toEqual(thread);
  });

  it("waits eight steps by default if the model reasons, and leaves no stale reasoning", async () => {
    const { rewrites, stale } = await play(name, { reasons: true });
    expect(Math.min(...distances(rewrites))).toBeGreaterThanOrEqual(8);
    expect(stale).toEqual([]);
  });

  it("only appends until the new steps take the share that `every` says, and loses nothing", async () => {
    const share = 0.2;
    const { rewrites, thread, opened } = await play(name, { every: { share }, reasons: false });
    const steps = (share * limits[name]!) / estimateTokens(thread.slice(1, 3));
    expect(rewrites.length).toBeGreaterThan(2);
    expect(Math.min(...distances(rewrites))).toBeGreaterThanOrEqual(steps);
    expect(Math.max(...distances(rewrites))).toBeLessThanOrEqual(steps + 2);
    expect(opened).toEqual(thread);
  });

  it.each([0, 1.5, -3, { share: 0 }, { share: 1.1 }, { share: "0.1" }, { share: 0.1, steps: 4 }, "8"])(
    "refuses %o when it is built",
    (every) => {
      const files = VirtualFilesystem.inMemory();
      expect(() => nodes[name]!({ files, every: every as never })).toThrow("every");
    },
  );
});

describe("predictive context with an interval", () => {
  it.each(["predictiveContextNode", "predictiveContextNode, policy pace"])(
    "stays under its budget: %s",
    async (name) => {
      const { prompts, rewrites } = await play(name, { every: 50, reasons: true });
      expect(Math.max(...prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(budget);
      expect(rewrites.length).toBeGreaterThan(1);
    },
  );
});

import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { foldNode } from "../folding/fold-node.js";
import { contextMiddleware, foldMiddleware, predictiveContextMiddleware } from "../middleware/index.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";

const play = tool(async ({ song }) => `playing ${song}`, {
  name: "play",
  description: "Plays a song.",
  schema: z.object({ song: z.string() }),
});

/** Plays songs when it is asked to fix a parser: 12 calls, a step each, then an answer. */
const drifting = () =>
  new ScriptedModel((messages, step) =>
    step < 12
      ? new AIMessage({
          content: "",
          tool_calls: [{ id: `c${step}`, name: "play", args: { song: `waltz${step}` } }],
        })
      : new AIMessage(`Done after ${messages.length}.`),
  );
const task = new HumanMessage({ id: "task", content: "Fix the parser of dates." });

interface Options {
  readonly files: VirtualFilesystem;
  readonly contextWindow: number;
  readonly driftCalls?: number;
  readonly onEvent: (event: ContextEvent) => void;
}

const nodes = { compactionNode, foldNode, predictiveContextNode };
const middlewares = { contextMiddleware, foldMiddleware, predictiveContextMiddleware };

async function told(
  host: (options: Options) => Promise<unknown>,
  driftCalls?: number,
): Promise<readonly number[]> {
  const calls: number[] = [];
  await host({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 30_000,
    ...(driftCalls === undefined ? {} : { driftCalls }),
    onEvent: (event: ContextEvent) => {
      if (event.type === "context.drift") calls.push(event.calls);
    },
  });
  return calls;
}

describe("a run that drifts from its goal", () => {
  const hosts: Record<string, (options: Options) => Promise<unknown>> = {
    ...Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [
        name,
        async (options: Options) =>
          agentGraph({ model: drifting(), tools: [play], compact: node(options) }).invoke(
            { messages: [task] },
            inThread("t"),
          ),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(middlewares).map(([name, middleware]) => [
        name,
        async (options: Options) =>
          createAgent({ model: drifting(), tools: [play], middleware: [middleware(options)] }).invoke(
            { messages: [task] },
            inThread("t"),
          ),
      ]),
    ),
  };

  it.each(Object.entries(hosts).filter(([name]) => !name.startsWith("fold")))(
    "is told of once by %s",
    async (_, host) => {
      expect(await told(host, 8)).toEqual([8]);
      expect(await told(host)).toEqual([]);
    },
  );

  it.each(Object.entries(hosts).filter(([name]) => name.startsWith("fold")))(
    "is told of by %s as far as its calls are in sight",
    async (_, host) => {
      expect((await told(host, 2))[0]).toBe(2);
      expect(await told(host)).toEqual([]);
    },
  );

  it.each(["t", undefined])("is told of once without a channel, thread %s", async (thread) => {
    const calls: number[] = [];
    const node = compactionNode({
      files: VirtualFilesystem.inMemory(),
      contextWindow: 30_000,
      driftCalls: 2,
      onEvent: (event) => void (event.type === "context.drift" && calls.push(event.calls)),
    });
    let messages: BaseMessage[] = [task];
    for (let at = 0; at < 5; at++) {
      const id = `c${at}`;
      messages = [
        ...messages,
        new AIMessage({
          id: `a${at}`,
          content: "",
          tool_calls: [{ id, name: "play", args: { song: `waltz${at}` } }],
        }),
        new ToolMessage({ id: `r${at}`, tool_call_id: id, name: "play", content: "la" }),
      ];
      const update = await node({ messages }, thread === undefined ? {} : inThread(thread));
      const said = update["messages"] as readonly BaseMessage[] | undefined;
      if (Array.isArray(said))
        messages = messages.map((one) => said.find(({ id: own }) => own === one.id) ?? one);
    }
    expect(calls.length).toBeGreaterThan(0);
  });

  it("is no option below one call", () => {
    expect(() =>
      compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 9_000, driftCalls: 0 }),
    ).toThrow("driftCalls");
  });
});

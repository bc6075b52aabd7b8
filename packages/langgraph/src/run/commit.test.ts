import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { GraphInterrupt } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { maskToolResultsNode, offloadLargeToolResultNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { FailingDriver } from "../testing/storage.js";
import { filler } from "../testing/history.js";
import { offloadTools } from "../tools/offload-tools.js";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import type { NodeConfig } from "../run-config.js";

const result = (id: string) =>
  new ToolMessage({ id: `result-${id}`, tool_call_id: id, name: "read", content: filler(3_000) });
const call = (id: string) =>
  new AIMessage({ id: `call-${id}`, content: "", tool_calls: [{ id, name: "read", args: {} }] });
const thread = () => [
  new HumanMessage({ id: "task", content: "Read all pages" }),
  ...Array.from({ length: 20 }, (_, at) => [call(`c${at}`), result(`c${at}`)]).flat(),
];
const small = { contextWindow: 20_000, limits: { offload: 500 } };
const read = tool(() => filler(40_000), { name: "read", description: "Reads", schema: z.object({}) });

/** Every strategy that folds: runs one step of it over the same thread. */
const strategies: Record<string, (options: ContextOptions, config: NodeConfig) => Promise<unknown>> = {
  compactionNode: (options, config) => compactionNode(options)({ messages: thread() }, config),
  offloadLargeToolResultNode: (options, config) =>
    offloadLargeToolResultNode(options)({ messages: thread() }, config),
  maskToolResultsNode: (options, config) =>
    maskToolResultsNode({ ...options, trigger: { tokens: 5_000 } })({ messages: thread() }, config),
  foldNode: (options, config) => foldNode(options)({ messages: thread() }, config),
  predictiveContextNode: (options, config) =>
    predictiveContextNode({ files: options.files, ...eventsOf(options), budget: 2_000 })(
      { messages: thread() },
      config,
    ),
  offloadTools: async (options, config) =>
    offloadTools([read], options)[0]?.invoke(
      { id: "c", name: "read", args: {}, type: "tool_call" } as never,
      {
        ...config,
      } as never,
    ),
};

function eventsOf({ onEvent, onError }: ContextOptions) {
  return { ...(onEvent === undefined ? {} : { onEvent }), ...(onError === undefined ? {} : { onError }) };
}

/** Refuses every write with an error, and calls `before` first. */
function refusing(error: Error, before: () => void = () => undefined): VirtualFilesystem {
  class Refusing extends FailingDriver {
    override async write(): Promise<boolean> {
      before();
      throw error;
    }
  }
  return new VirtualFilesystem({ driver: new Refusing() });
}

const inThread = (signal?: AbortSignal): NodeConfig => ({ configurable: { thread_id: "t" }, signal });

describe.each(Object.entries(strategies))("%s", (_, step) => {
  it("reports an archive that refuses a write, and goes on", async () => {
    const events: ContextEvent[] = [];
    const options = {
      ...small,
      files: refusing(new Error("ENOSPC")),
      onEvent: (event: ContextEvent) => events.push(event),
    };
    await step(options, inThread());
    const failed = events.filter((event) => event.type === "context.fail");
    expect(failed.map(({ rung }) => rung)).toContain("archive");
    expect(events.filter((event) => event.type === "context.fold")).toEqual([]);
  });

  it('throws the error of a write with onError "throw"', async () => {
    const options = { ...small, files: refusing(new Error("ENOSPC")), onError: "throw" } as const;
    await expect(step(options, inThread())).rejects.toThrow("ENOSPC");
  });

  it("throws the error of a write when the run is aborted meanwhile", async () => {
    const controller = new AbortController();
    const files = refusing(new Error("write aborted"), () => controller.abort());
    await expect(step({ ...small, files }, inThread(controller.signal))).rejects.toThrow("write aborted");
  });

  it("passes a graph interrupt through", async () => {
    const files = refusing(new GraphInterrupt([]));
    await expect(step({ ...small, files }, inThread())).rejects.toBeInstanceOf(GraphInterrupt);
  });
});

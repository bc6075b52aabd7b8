import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { foldOf, pin, toolCalls } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldNode } from "../folding/fold-node.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { offloadLargeToolResultNode } from "../nodes/rung-nodes.js";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, messagesAfter } from "../testing/history.js";
import { offloadTools } from "../tools/offload-tools.js";

const call = { id: "c", name: "load", args: { path: "/AGENTS.md" } };
const thread = [
  new HumanMessage({ id: "question", content: "Go" }),
  new AIMessage({ id: "calls", content: "", tool_calls: [call] }),
];
const size = 30_000;
const large = new ToolMessage({ id: "result", tool_call_id: "c", name: "load", content: filler(size) });

type Host = (options: ContextOptions, result: ToolMessage) => Promise<BaseMessage | undefined>;

const node =
  (build: typeof compactionNode): Host =>
  async (options, result) => {
    const messages = [...thread, result];
    return messagesAfter(await build(options)({ messages }, inThread("t")), messages).at(-1);
  };

/** Every host through which a tool result may arrive. */
const hosts: Readonly<Record<string, Host>> = {
  compactionNode: node(compactionNode),
  offloadLargeToolResultNode: node(offloadLargeToolResultNode),
  foldNode: node(foldNode),
  async offloadTools(options, result) {
    const load = tool(() => result, { name: "load", schema: z.object({ path: z.string() }) });
    const tools = new ToolNode(offloadTools([load], options) as never[]);
    const { messages } = (await tools.invoke({ messages: thread }, inThread("t"))) as {
      messages: BaseMessage[];
    };
    return messages[0];
  },
  async contextMiddleware(options, result) {
    const { wrapToolCall } = contextMiddleware(options);
    const request = { toolCall: call, tool: undefined, state: { messages: thread }, runtime: inThread("t") };
    return (await wrapToolCall?.(request as never, () => result)) as BaseMessage;
  },
};

/** Every option that keeps a large result whole. */
const kept: Readonly<Record<string, Partial<ContextOptions>>> = {
  excludeTools: { excludeTools: ["load"] },
  pinTools: { pinTools: ["load"] },
  "pinFiles, by path": { pinFiles: ["/AGENTS.md"], limits: { pinnedFiles: 50_000 } },
  "pinFiles, by glob": { pinFiles: ["**/AGENTS.md"], limits: { pinnedFiles: 50_000 } },
  "pin of the result": { pin: ({ type }) => type === "tool" },
  "pin of the call": { pin: (message) => toolCalls(message).length > 0 },
};

function files() {
  return { files: VirtualFilesystem.inMemory(), contextWindow: 200_000 };
}

function broken(): never {
  throw new Error("broken");
}

describe.each(Object.entries(hosts))("a large result that arrives through %s", (_, arrive) => {
  it("is offloaded", async () => {
    expect(foldOf((await arrive(files(), large)) as BaseMessage)?.kind).toBe("offload");
  });

  it.each(Object.entries(kept))("stays whole with %s", async (__, options) => {
    expect((await arrive({ ...files(), ...options }, large))?.text).toBe(large.text);
  });

  it("stays whole with the mark of pin(message)", async () => {
    expect((await arrive(files(), pin(large)))?.text).toBe(large.text);
  });

  it("is offloaded with the pin of another tool or file", async () => {
    const other = { pinTools: ["read"], pinFiles: ["/README.md"], pin: ({ id }: BaseMessage) => id === "x" };
    expect(foldOf((await arrive({ ...files(), ...other }, large)) as BaseMessage)?.kind).toBe("offload");
  });

  it("is offloaded over limits.batch with excludeTools, and stays whole with a pin", async () => {
    const batch = { ...files(), limits: { batch: 5_000 } };
    const excluded = await arrive({ ...batch, excludeTools: ["load"] }, large);
    expect(foldOf(excluded as BaseMessage)?.kind).toBe("offload");
    expect((await arrive({ ...batch, pinTools: ["load"] }, large))?.text).toBe(large.text);
  });

  it("stays whole when a pin throws, is estimated when the counter throws, and an event says so", async () => {
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => void events.push(event);
    expect((await arrive({ ...files(), pin: broken, onEvent }, large))?.text).toBe(large.text);
    expect(events).toContainEqual(expect.objectContaining({ type: "context.fail" }));
    events.length = 0;
    const estimated = await arrive({ ...files(), tokenCounter: broken, onEvent }, large);
    expect(foldOf(estimated as BaseMessage)?.kind).toBe("offload");
    expect(events).toContainEqual(expect.objectContaining({ type: "context.fail", rung: "counter" }));
  });
});

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { FailingDriver, storedBytes } from "../testing/storage.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { offloadTools, type InvokableTool } from "./offload-tools.js";

const huge = filler(60_000);
const dump = tool(() => huge, {
  name: "dump",
  description: "Returns all.",
  schema: z.object({ table: z.string() }),
});

/** Calls one tool in a graph that has no other node of ours. */
async function callOnce(tools: readonly InvokableTool[], name: string, args: Record<string, unknown> = {}) {
  const model = new ScriptedModel((_, at) => {
    const calls = at === 0 ? [{ id: "c", name, args }] : [];
    return new AIMessage({ id: `a${at}`, content: "Working.", tool_calls: calls });
  });
  const saver = new MemorySaver();
  const graph = agentGraph({ model, tools, compact: async () => ({}), checkpointer: saver });
  const { messages } = await graph.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"));
  const result = messages.find((message) => ToolMessage.isInstance(message));
  return { result, prompts: model.prompts, stored: storedBytes(saver), model };
}

describe("a huge result", () => {
  it("never enters a checkpoint, and is in the archive whole", async () => {
    const files = VirtualFilesystem.inMemory();
    const plain = await callOnce([dump], "dump", { table: "t" });
    const { result, stored } = await callOnce(
      offloadTools([dump], { files, contextWindow: 200_000 }),
      "dump",
      { table: "t" },
    );
    const fold = foldOf(result!);

    expect(plain.stored).toBeGreaterThan(2 * huge.length);
    expect(stored).toBeGreaterThan(1_000);
    expect(stored).toBeLessThan(20_000);
    expect(result).toMatchObject({ tool_call_id: "c", name: "dump" });
    expect(await files.thread("t").archive.readText(fold?.path ?? "")).toBe(huge);
  });

  it("keeps artifact and status", async () => {
    const files = VirtualFilesystem.inMemory();
    const rich = tool(
      (_, { toolCallId }: { toolCallId: string }) =>
        new ToolMessage({
          content: huge,
          name: "rich",
          tool_call_id: toolCallId,
          status: "error",
          artifact: { rows: [1, 2] },
        }),
      { name: "rich", schema: z.object({}) },
    );
    const { result } = await callOnce(offloadTools([rich], { files, contextWindow: 200_000 }), "rich");
    expect(result).toMatchObject({ status: "error", artifact: { rows: [1, 2] } });
    expect(foldOf(result!)?.kind).toBe("offload");
  });

  it("is offloaded from a Command as well, whose other updates and goto stay", async () => {
    const files = VirtualFilesystem.inMemory();
    const options = { files, contextWindow: 200_000 };
    const update = {
      messages: [new ToolMessage({ content: huge, tool_call_id: "c" })],
      files: { "/a": null },
    };
    const commanding = tool(() => new Command({ update, goto: "model" }), {
      name: "commanding",
      schema: z.object({}),
    });
    const [wrapped] = offloadTools<InvokableTool>([commanding], options);
    const call = { name: "commanding", args: {}, id: "c", type: "tool_call" };
    const output = (await wrapped?.invoke(call as never, inThread("t") as never)) as Command;
    const changed = output.update as typeof update;
    expect(foldOf(changed.messages[0]!)?.kind).toBe("offload");
    expect(changed.files).toEqual({ "/a": null });
    expect(output.goto).toEqual(["model"]);
    const { result } = await callOnce(offloadTools([commanding], options), "commanding");
    expect(foldOf(result!)?.kind).toBe("offload");
  });

  it("stays whole if the archive cannot be written, and an event says so", async () => {
    const driver = new FailingDriver();
    driver.full = true;
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const tools = offloadTools([dump], {
      files: new VirtualFilesystem({ driver }),
      contextWindow: 200_000,
      onEvent,
    });
    const { result } = await callOnce(tools, "dump", { table: "t" });
    expect(result?.text).toBe(huge);
    expect(events).toEqual([
      expect.objectContaining({ type: "context.fail", rung: "archive", threadId: "t" }),
    ]);
  });

  it('throws into the tool node with onError "throw"', async () => {
    const driver = new FailingDriver();
    driver.full = true;
    const tools = offloadTools([dump], {
      files: new VirtualFilesystem({ driver }),
      contextWindow: 200_000,
      onError: "throw",
    });
    const { result } = await callOnce(tools, "dump", { table: "t" });
    expect(result).toMatchObject({ status: "error", content: expect.stringContaining("ENOSPC") as string });
  });

  it("is sent to onEvent with its thread", async () => {
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const tools = offloadTools([dump], {
      files: VirtualFilesystem.inMemory(),
      contextWindow: 200_000,
      onEvent,
    });
    await callOnce(tools, "dump", { table: "t" });
    expect(events).toEqual([
      expect.objectContaining({ type: "context.fold", reason: "arrival", threadId: "t" }),
    ]);
  });
});

describe("a wrapped tool", () => {
  const [wrapped] = offloadTools([dump], { files: VirtualFilesystem.inMemory(), contextWindow: 200_000 });

  it("keeps name, description, schema and class, and leaves the original as it was", async () => {
    expect(wrapped?.name).toBe(dump.name);
    expect(wrapped?.description).toBe(dump.description);
    expect(wrapped?.schema).toBe(dump.schema);
    expect(wrapped).toBeInstanceOf(DynamicStructuredTool);
    const call = { name: "dump", args: { table: "t" }, id: "c", type: "tool_call" } as const;
    expect((await dump.invoke(call)).text).toBe(huge);
  });

  it("passes on small results, and outputs that are not messages, unchanged", async () => {
    const small = tool(() => "ok", { name: "small", schema: z.object({}) });
    const [one] = offloadTools([small], { files: VirtualFilesystem.inMemory(), contextWindow: 200_000 });
    expect(await one?.invoke({}, inThread("t"))).toBe("ok");
  });

  it("passes on errors and interrupts of the tool", async () => {
    const failing = tool(() => raise(new Error("no such table")), { name: "failing", schema: z.object({}) });
    const asking = tool(() => interrupt<string, string>("May I?"), { name: "asking", schema: z.object({}) });
    const tools = offloadTools([failing, asking], {
      files: VirtualFilesystem.inMemory(),
      contextWindow: 200_000,
    });
    expect((await callOnce(tools, "failing")).result?.text).toContain("no such table");
    const paused = await callOnce(tools, "asking");
    expect(paused.result).toBeUndefined();
    expect(paused.prompts).toHaveLength(1);
  });
});

function raise(error: Error): never {
  throw error;
}

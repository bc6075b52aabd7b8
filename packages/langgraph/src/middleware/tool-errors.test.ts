import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, toolRetryMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { contextMiddleware, type ContextMiddlewareOptions } from "./context-middleware.js";

class BusyError extends Error {}

const noSchema = { description: "A tool.", schema: z.object({}) };
const broken = tool(() => Promise.reject(new TypeError("no such table")), { name: "broken", ...noSchema });
const wordless = tool(() => Promise.reject(new TypeError()), { name: "wordless", ...noSchema });

function own(options: Partial<ContextMiddlewareOptions> = {}) {
  const files = VirtualFilesystem.inMemory();
  return contextMiddleware({ files, contextWindow: 20_000, summaryModel: "none", fileTools: [], ...options });
}

/** Returns an agent that calls the tool once in each turn, and answers if it is asked to. */
function agentWith(
  called: Parameters<typeof tool>[1]["name"],
  { tools, middleware, version = "v2" as const }: Parts,
) {
  const model = new ScriptedModel((prompt, call) => {
    const isAsked = prompt.at(-1)?.getType() === "human" && prompt.at(-1)?.text === "Look.";
    const calls = isAsked ? [{ id: `c${call}`, name: called, args: {} }] : [];
    return new AIMessage({ id: `a${call}`, content: "Hm.", tool_calls: calls });
  });
  const agent = createAgent({
    model,
    tools: [...tools],
    version,
    checkpointer: new MemorySaver(),
    middleware,
  });
  const ask = async (content: string) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage(content)] }, inThread("t"));
    return messages;
  };
  return { model, ask };
}

interface Parts {
  readonly tools: NonNullable<Parameters<typeof createAgent>[0]["tools"]>;
  readonly middleware: AgentMiddleware[];
  readonly version?: "v1" | "v2";
}

describe.each(["v1", "v2"] as const)("createAgent %s", (version) => {
  it.each([
    [broken, "no such table"],
    [wordless, "TypeError"],
  ])("tells the model of an error that a tool throws, and goes on", async (failing, told) => {
    const { ask } = agentWith(failing.name, { tools: [failing], middleware: [own()], version });
    const messages = await ask("Look.");
    const result = messages.find((message) => ToolMessage.isInstance(message));
    expect([result?.text, result?.status]).toEqual([told, "error"]);
    expect(messages.at(-1)?.text).toBe("Hm.");
  });

  it("ends the run for it with `handleToolErrors: false`", async () => {
    const middleware = [own({ handleToolErrors: false })];
    const { ask } = agentWith("broken", { tools: [broken], middleware, version });
    await expect(ask("Look.")).rejects.toThrow("no such table");
  });

  it("gives the whole result of a tool with returnDirect as the answer, and offloads it in the next turn", async () => {
    const report = tool(() => filler(30_000), { name: "report", returnDirect: true, ...noSchema });
    const { model, ask } = agentWith("report", { tools: [report], middleware: [own()], version });
    const answer = (await ask("Look.")).at(-1);
    expect(answer?.text).toBe(filler(30_000));
    const messages = await ask("Thanks.");
    const result = messages.find((message) => ToolMessage.isInstance(message));
    expect(foldOf(result!)?.kind).toBe("offload");
    expect(model.prompts).toHaveLength(2);
  });
});

it("a middleware around it retries by the class of the error", async () => {
  let calls = 0;
  const busy = tool(() => (++calls < 3 ? Promise.reject(new BusyError("busy")) : Promise.resolve("free")), {
    name: "busy",
    ...noSchema,
  });
  const retry = toolRetryMiddleware({ retryOn: [BusyError], initialDelayMs: 0, jitter: false });
  const { ask } = agentWith("busy", { tools: [busy], middleware: [retry, own()] });
  const messages = await ask("Look.");
  expect(messages.find((message) => ToolMessage.isInstance(message))?.text).toBe("free");
  expect(calls).toBe(3);
});

import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { contextMiddleware } from "./context-middleware.js";

const extracting = { summaryModel: "none", fileTools: [] } as const;

/** Returns a reply that thinks first, bound to its prefix as Claude's is. */
function thinking(turn: number, tokens: number): AIMessage {
  return new AIMessage({
    id: `a${turn}`,
    content: [
      { type: "thinking", thinking: `THOUGHT ${turn}`, signature: `sig${turn}` },
      { type: "text", text: `answer ${turn} ${filler(tokens, turn)}` },
    ],
    response_metadata: { model_name: "claude-opus-5" },
  });
}

function question(turn: number, content = `question ${turn}`): HumanMessage {
  return new HumanMessage({ id: `u${turn}`, content });
}

async function thoughtsIn(graph: Parameters<typeof readThread>[0], files: VirtualFilesystem) {
  const thread = await readThread(graph, inThread("t"), { files });
  return thread.flatMap(({ content }) =>
    (Array.isArray(content) ? content : []).flatMap((block) =>
      block.type === "thinking" ? [block["thinking"]] : [],
    ),
  );
}

describe("every thought comes back with the thread", () => {
  it.each([false, true])("after an edit of the host; the same call overflows: %s", async (overflows) => {
    const files = VirtualFilesystem.inMemory();
    let refuses = false;
    const model = new ScriptedModel((_, call) => {
      const isRefused = refuses;
      refuses = false;
      if (isRefused) throw new ContextOverflowError("prompt is too long");
      return thinking(call, 200);
    });
    const middleware = [contextMiddleware({ files, contextWindow: 20_000, ...extracting })];
    const agent = createAgent({ model, tools: [], checkpointer: new MemorySaver(), middleware });
    for (let turn = 0; turn < 6; turn++) await agent.invoke({ messages: [question(turn)] }, inThread("t"));
    await agent.graph.updateState(
      inThread("t"),
      { messages: [question(1, "question 1, reworded")] },
      "model_request",
    );
    refuses = overflows;
    await agent.invoke({ messages: [question(6)] }, inThread("t"));
    expect(await thoughtsIn(agent.graph, files)).toHaveLength(7);
  });

  it.each([8, 11, 13])("after a changed system prompt in a new process, at turn %i", async (last) => {
    const files = VirtualFilesystem.inMemory();
    const checkpointer = new MemorySaver();
    let turns = 0;
    const agentWith = (systemPrompt: string) =>
      createAgent({
        model: new ScriptedModel(() => thinking(turns++, 300)),
        systemPrompt,
        tools: [],
        checkpointer,
        middleware: [contextMiddleware({ files, contextWindow: 4_000, fileTools: [] })],
      });
    const before = agentWith("You are version 1.");
    for (let turn = 0; turn < last; turn++)
      await before.invoke({ messages: [question(turn)] }, inThread("t"));
    const after = agentWith("You are version 2.");
    await after.invoke({ messages: [question(last)] }, inThread("t"));
    expect(await thoughtsIn(after.graph, files)).toHaveLength(last + 1);
  });
});

it("counts the system prompt and the tools of a provider that reports no usage", async () => {
  const systemPrompt = filler(3_000, 5);
  const prompts: (readonly BaseMessage[])[] = [];
  const silent = RunnableLambda.from((prompt: BaseMessage[]) => {
    const call = prompts.push(prompt);
    return new AIMessage(`answer ${call} ${filler(400, call)}`);
  });
  const model = Object.assign(new ScriptedModel(() => new AIMessage("")), {
    bindTools: () => silent,
    withConfig: () => silent,
    invoke: async (prompt: BaseMessage[]) => silent.invoke(prompt),
  }) as unknown as ScriptedModel;
  const files = VirtualFilesystem.inMemory();
  const middleware = [contextMiddleware({ files, contextWindow: 8_000, ...extracting })];
  const checkpointer = new MemorySaver();
  const agent = createAgent({ model, tools: [], systemPrompt, checkpointer, middleware });
  for (let turn = 0; turn < 20; turn++) await agent.invoke({ messages: [question(turn)] }, inThread("t"));
  expect(Math.max(...prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(8_000);
});

it("an agent with a memory of its own, as a node of a graph, sends each message once", async () => {
  const files = VirtualFilesystem.inMemory();
  let newest = 0;
  const model = new ScriptedModel((_, call) => {
    newest = call;
    const calls = (call + 1) % 8 === 0 ? [] : [{ id: `c${call}`, name: "look", args: {} }];
    return new AIMessage({ id: `a${call}`, content: "", tool_calls: calls });
  });
  const look = tool(
    async () =>
      new ToolMessage({ id: `t${newest}`, tool_call_id: `c${newest}`, content: filler(300, newest) }),
    { name: "look", description: "Looks.", schema: z.object({}) },
  );
  const middleware = [contextMiddleware({ files, contextWindow: 2_500, ...extracting })];
  const agent = createAgent({ model, tools: [look], checkpointer: true, middleware });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent.graph)
    .addEdge(START, "agent")
    .compile({ checkpointer: new MemorySaver() });
  const config = { ...inThread("t"), recursionLimit: 200 };
  for (let turn = 0; turn < 5; turn++) {
    await graph.invoke({ messages: [question(turn)] }, config);
    const ids = (await readThread(graph, config, { files })).map(({ id }) => id);
    expect(ids).toHaveLength(16 * (turn + 1));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

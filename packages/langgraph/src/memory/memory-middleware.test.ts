import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, createMiddleware, toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contextMiddleware } from "../middleware/index.js";
import { ScriptedModel, type Reply } from "../testing/scripted-model.js";
import { FailingDriver } from "../testing/storage.js";
import { fileTools } from "../tools/file-tools.js";
import { searchHistoryTool } from "../tools/search/search-history-tool.js";
import { consolidateNode } from "./consolidate-node.js";
import { memoryMiddleware } from "./memory-middleware.js";
import { ScopeMemory } from "./scope-memory.js";

const budget = "The budget of the Lisbon trip is 4,000 euros.";

interface Told {
  readonly files?: VirtualFilesystem;
  readonly reply?: Reply;
  readonly noteTokens?: number;
  readonly onError?: (error: unknown) => void;
}

function agentOf({
  files = VirtualFilesystem.inMemory(),
  reply = () => new AIMessage("Noted."),
  noteTokens = 2_000,
  onError,
}: Told = {}) {
  const index = RecallIndex.inMemory();
  const memory = new ScopeMemory({
    files,
    index,
    noteTokens,
    scope: ({ configurable }) => configurable?.["user"] as string,
  });
  const model = new ScriptedModel(reply, 0, 20_000);
  const tools = [searchHistoryTool({ files, index, memory })];
  const checkpointer = new MemorySaver();
  const agent = createAgent({
    model,
    tools,
    checkpointer,
    systemPrompt: "You are a travel agent.",
    middleware: [
      memoryMiddleware({ memory, ...(onError === undefined ? {} : { onError }) }),
      contextMiddleware({ files, fileTools: fileTools({ files, memory }) }),
    ],
  });
  const say = async (threadId: string, text: string, user = "ada") =>
    agent.invoke(
      { messages: [new HumanMessage(text)] },
      { configurable: { thread_id: threadId, user }, recursionLimit: 12 },
    );
  return { agent, memory, model, say, checkpointer };
}

const call = (name: string, args: object) =>
  new AIMessage({ content: "", tool_calls: [{ id: `${name}-1`, name, args: { ...args } }] });

/** Writes to an earlier thread when it is told to. */
const changing: Reply = (messages) =>
  messages.at(-1)?.text === "Change it."
    ? call("write_file", { path: "/threads/t1/turns/0001.md", content: "x" })
    : new AIMessage("Noted.");

const systemOf = (prompt: readonly BaseMessage[] | undefined) => prompt?.[0]?.text ?? "";

describe("memoryMiddleware", () => {
  it("begins a thread with the notes of its scope, the same at each call", async () => {
    const { memory, model, say } = agentOf();
    await say("t1", budget);
    expect(systemOf(model.prompts[0])).toBe("You are a travel agent.");
    await memory.consolidate("ada");
    await say("t2", "Plan the trip.");
    await say("t2", "Go on.");
    const [, second, third] = model.prompts.map(systemOf);
    expect(second).toMatch(/^You are a travel agent\.\n\n## Notes from earlier conversations\n/u);
    expect(second).toContain(`- ${budget} [0001-`);
    expect(third).toBe(second);
    await say("t3", "Plan the trip.", "bob");
    expect(systemOf(model.prompts[3])).toBe("You are a travel agent.");
  });

  it("begins a thread with the notes about what the user asks first", async () => {
    const { memory, model, say } = agentOf({ noteTokens: 200 });
    const wish = "Ada prefers trains to planes.";
    const flights = Array.from(
      "abcdefghijklmnopqrst",
      (letter, at) => `Flight ${at * 37} of ${letter.repeat(5)} to ${letter.repeat(6)} costs ${at * 91}.`,
    );
    for (const said of [wish, ...flights]) await say("t1", said);
    await memory.consolidate("ada");
    for (const asked of ["Which flight is the cheapest?", "Are there trains to Lisbon?"])
      await say(asked, asked);
    expect(model.prompts.slice(-2).map((prompt) => systemOf(prompt).includes(wish))).toEqual([false, true]);
  });

  it("takes no step of the graph", async () => {
    const { say, checkpointer } = agentOf();
    await say("t1", budget);
    const steps = [];
    for await (const { metadata } of checkpointer.list({ configurable: { thread_id: "t1" } }))
      steps.push(metadata?.step);
    expect(steps).toEqual([1, 0, -1]);
  });

  it("lets the agent search earlier threads, with thread, message and time, and read what it found", async () => {
    let found = "";
    const reply: Reply = (messages) => {
      const said = messages.at(-1)?.text ?? "";
      if (said === "What was the budget?") return call("search_history", { query: "budget of the trip" });
      const [, path, offset] =
        /^## (\/threads\/\S+), offset (\d+) \(thread t1, 20[^)]+\)\n## 1\. human `\S+`$/mu.exec(said) ?? [];
      if (path === undefined) return new AIMessage("Noted.");
      found = said;
      return call("read_file", { path, offset: Number(offset) });
    };
    const { say } = agentOf({ reply });
    await say("t1", budget);
    const { messages } = await say("t2", "What was the budget?");
    expect(found).toContain(budget);
    expect(messages.findLast(({ name }) => name === "read_file")?.text).toContain(budget);
  });

  it("does not let the agent write to earlier threads", async () => {
    const { say } = agentOf({ reply: changing });
    await say("t1", budget);
    const { messages } = await say("t2", "Change it.");
    expect(messages.findLast(({ name }) => name === "write_file")?.text).toContain(
      "/threads/ holds what was said in other threads",
    );
  });

  it("records a turn that another middleware answers with a command", async () => {
    const files = VirtualFilesystem.inMemory();
    const memory = new ScopeMemory({ files, scope: () => "ada" });
    const commanding = createMiddleware({
      name: "Commanding",
      wrapModelCall: async (request, handler) =>
        new Command({ update: { messages: [await handler(request)] } }),
    });
    const agent = createAgent({
      model: new ScriptedModel(() => new AIMessage("Noted.")),
      tools: [],
      middleware: [memoryMiddleware({ memory }), commanding],
    });
    await agent.invoke({ messages: [new HumanMessage(budget)] }, { configurable: { thread_id: "t1" } });
    await memory.consolidate("ada");
    expect((await memory.notes("ada")).map(({ text }) => text)).toEqual([budget]);
  });

  it.each([
    ["structured output by a tool call", 1],
    ["the result of a tool with returnDirect", 2],
  ])("records turns that end with %s", async (_, turns) => {
    const files = VirtualFilesystem.inMemory();
    const memory = new ScopeMemory({ files, scope: () => "ada" });
    const isDirect = turns === 2;
    const total = tool(() => "4,000 euros", {
      name: "total",
      description: "Adds.",
      schema: z.object({}),
      returnDirect: true,
    });
    const name = isDirect ? "total" : "answer";
    const parts = {
      model: new ScriptedModel(() => call(name, isDirect ? {} : { value: 1 })),
      tools: [total],
      checkpointer: new MemorySaver(),
      middleware: [memoryMiddleware({ memory })],
    };
    const answer = toolStrategy(z.object({ value: z.number() }).meta({ title: "answer" }));
    const agent = isDirect ? createAgent(parts) : createAgent({ ...parts, responseFormat: answer });
    for (const text of [budget, "And now?"].slice(0, turns))
      await agent.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id: "t1" } });
    await memory.consolidate("ada");
    expect((await memory.notes("ada")).map(({ text }) => text)).toEqual([budget]);
  });

  it("ends a run in a thread of another scope", async () => {
    const { say } = agentOf();
    await say("t1", budget);
    await expect(say("t1", "And mine?", "bob")).rejects.toThrow(
      'The thread "t1" belongs to another scope than "bob"',
    );
  });

  it("lets the agent go on while the memory cannot be stored, and records both turns later", async () => {
    const driver = new FailingDriver();
    const files = new VirtualFilesystem({ driver });
    const errors: unknown[] = [];
    const { memory, say } = agentOf({ files, onError: (error) => errors.push(error) });
    driver.full = true;
    const { messages } = await say("t1", budget);
    expect(messages.at(-1)?.text).toBe("Noted.");
    expect(errors).toHaveLength(2);
    driver.full = false;
    await say("t1", "Go on.");
    await memory.consolidate("ada");
    expect((await memory.notes("ada")).map(({ text }) => text)).toEqual([budget]);
  });
});

describe("consolidateNode", () => {
  it("records the thread and makes notes of it at the end of a run", async () => {
    const files = VirtualFilesystem.inMemory();
    const memory = new ScopeMemory({ files, scope: ({ configurable }) => configurable?.["user"] as string });
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("model", () => ({ messages: [new AIMessage("Noted.")] }))
      .addNode("consolidate", consolidateNode({ memory }))
      .addEdge(START, "model")
      .addEdge("model", "consolidate")
      .compile();
    const configurable = { thread_id: "t1", user: "ada" };
    const { messages } = await graph.invoke({ messages: [new HumanMessage(budget)] }, { configurable });
    expect(messages).toHaveLength(2);
    expect((await memory.notes("ada")).map(({ text }) => text)).toEqual([budget]);
    await graph.invoke({ messages: [new HumanMessage(budget)] }, { configurable: { thread_id: "t2" } });
    expect(await memory.threads("ada")).toEqual(["t1"]);
  });

  it("refuses options without a memory", () => {
    expect(() => consolidateNode({} as never)).toThrow("memory is undefined: pass a ScopeMemory");
    expect(() => memoryMiddleware({} as never)).toThrow("memory is undefined: pass a ScopeMemory");
  });
});

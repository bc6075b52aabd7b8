import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { illegalities, heldOriginals } from "@palimpsest/context/testing";
import { openHeld } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { FailingDriver, unfolded } from "../testing/storage.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { overflowErrorHandler } from "./overflow-error-handler.js";

const question = new HumanMessage({
  id: "now",
  content: "And what is the value of step 3? $& Answer in Welsh.",
});
const past = [
  ...history({ steps: 20, result: (step) => filler(400, step) }),
  new AIMessage({ id: "answered", content: "All values are found." }),
];

interface Overflowing {
  /** Tokens that the provider takes, whatever the options say. */
  readonly limit: number;
  readonly error?: ((tokens: number) => unknown) | undefined;
  readonly messages?: readonly BaseMessage[];
  readonly contextWindow?: number;
  readonly driver?: FailingDriver;
}

/** A chat whose provider has a smaller window than anybody told us. */
async function chat({ limit, error = overflow, messages = [...past, question], ...rest }: Overflowing) {
  const { contextWindow = 200_000, driver } = rest;
  const model = new ScriptedModel((prompt, call) => {
    const tokens = estimateTokens(prompt);
    if (tokens > limit) throw error(tokens);
    return new AIMessage({ id: `reply-${call}`, content: "Seven." });
  });
  const files = driver ? new VirtualFilesystem({ driver }) : VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const errorHandler = overflowErrorHandler({ files, contextWindow, onEvent });
  const graph = new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }), {
      errorHandler,
      ends: ["model"],
    })
    .addEdge(START, "model")
    .compile({ checkpointer: new MemorySaver() });
  const run = graph.invoke({ messages: [...messages] }, inThread("t"));
  return { run, model, files, events, graph };
}

const overflow = (tokens: number) => new ContextOverflowError(`${tokens} tokens`);
const said = (message: string) => () => new Error(message);

describe.each<[string, Overflowing["error"]]>([
  ["a ContextOverflowError", overflow],
  [
    "OpenAI's words",
    said("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000"),
  ],
  ["Anthropic's words", said("prompt is too long: 208310 tokens > 200000 maximum")],
  [
    "Google's words",
    said("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
  ],
  ["Bedrock's words", said("ValidationException: Input is too long for requested model.")],
  ["an error that wraps one", () => new Error("node failed", { cause: overflow(9_000) })],
])("%s", (_, error) => {
  it("leads to one compaction and one retry, with the user's question verbatim", async () => {
    const { run, model, events, files } = await chat({ limit: 5_000, error });
    const { messages } = await run;
    const retried = model.prompts[1] ?? [];

    expect(model.prompts).toHaveLength(2);
    expect(retried.at(-1)).toEqual(expect.objectContaining({ id: "now", content: question.content }));
    expect(illegalities(retried)).toEqual([]);
    expect(messages.at(-1)?.text).toBe("Seven.");
    expect(events.map(({ type }) => type)).toEqual([
      "context.fold",
      "context.certificate",
      "context.compaction",
    ]);
    expect(events.at(-1)).toMatchObject({ reason: "overflow", threadId: "t" });
    expect((await unfolded(messages, files, "t")).map(({ data }) => data["id"])).toEqual(
      [...past, question].map(({ id }) => id).concat("reply-1"),
    );
  });
});

it("rethrows a second overflow at the same point, and does not loop", async () => {
  const { run, model } = await chat({ limit: 10 });
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  expect(ContextOverflowError.isInstance(error)).toBe(true);
  expect((error as Error).message).toMatch(/^\d+ tokens/);
  expect(model.prompts).toHaveLength(2);
});

it("frees most of a refused prompt, whatever window the options state, and compacts once for it", async () => {
  const { run, model, events } = await chat({ limit: 100, contextWindow: 30_000 });
  await expect(run).rejects.toThrow(/tokens/);
  const [refused = 0, retried = 0] = model.prompts.map((prompt) => estimateTokens(prompt));
  expect(retried).toBeLessThan(refused / 2);
  expect(model.prompts).toHaveLength(2);
  expect(events.filter(({ type }) => type === "context.compaction")).toHaveLength(1);
});

it("compacts again at a later point of the same thread", async () => {
  const { run, model, graph } = await chat({ limit: 5_000 });
  await run;
  const more = [
    new HumanMessage({ id: "more", content: "Write a long poem." }),
    new AIMessage({ id: "poem", content: filler(4_800, 3) }),
  ];
  const { messages } = await graph.invoke(
    { messages: [...more, new HumanMessage({ id: "last", content: "And now?" })] },
    inThread("t"),
  );
  expect(model.prompts).toHaveLength(4);
  expect(messages.at(-1)?.text).toBe("Seven.");
});

it("throws other errors as they came, and compacts nothing", async () => {
  const { run, model, events } = await chat({
    limit: 5_000,
    error: said("429 Too many requests: rate limit of tokens per minute"),
  });
  await expect(run).rejects.toThrow("rate limit");
  expect(model.prompts).toHaveLength(1);
  expect(events).toEqual([]);
});

it("throws the overflow if nothing can be folded, and says so", async () => {
  const { run, events } = await chat({ limit: 10, messages: [question] });
  await expect(run).rejects.toThrow(/tokens/);
  expect(events).toEqual([expect.objectContaining({ type: "context.skip", due: "overflow" })]);
});

it("calls the model again if the archive cannot be written, with the originals in state", async () => {
  const driver = new FailingDriver();
  driver.full = true;
  const { run, events, graph } = await chat({ limit: 5_000, driver });
  await run;
  expect(events).toContainEqual(expect.objectContaining({ type: "context.fail", rung: "archive" }));
  const { messages } = (await graph.getState(inThread("t"))).values as { messages: BaseMessage[] };
  expect(heldOriginals(messages).size).toBeGreaterThan(0);
  const whole = await openHeld(messages);
  expect(whole.slice(0, -1).map(({ id }) => id)).toEqual([...past, question].map(({ id }) => id));
});

/** A model that fails by a script, each in a way of its own, and then answers. */
function failing(errors: unknown[]) {
  const model = new ScriptedModel((_, call) => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return new AIMessage({ id: `reply-${call}`, content: "Seven." });
  });
  const files = VirtualFilesystem.inMemory();
  const errorHandler = overflowErrorHandler({ files, contextWindow: 200_000 });
  const agent = new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }), {
      errorHandler,
      ends: ["model"],
    })
    .addEdge(START, "model");
  return { model, agent };
}

describe("a run that ended with an error", () => {
  it("is resumed with invoke(null): the failed node runs again, and throws what it then meets", async () => {
    const { model, agent } = failing([new TypeError("fetch failed"), said("503 overloaded")()]);
    const graph = agent.compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ messages: [question] }, inThread("t"))).rejects.toThrow("fetch failed");
    await expect(graph.invoke(null, inThread("t"))).rejects.toThrow("503 overloaded");
    expect(model.prompts).toHaveLength(2);
    const { messages } = await graph.invoke(null, inThread("t"));
    expect(model.prompts).toHaveLength(3);
    expect(messages.map(({ id }) => id)).toEqual(["now", "reply-2"]);
  });

  it("is resumed in the same way after a second overflow, from the compacted context", async () => {
    const { model, agent } = failing([overflow(9_000), overflow(8_000)]);
    const graph = agent.compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ messages: [...past, question] }, inThread("t"))).rejects.toThrow(
      "8000 tokens",
    );
    const { messages } = await graph.invoke(null, inThread("t"));
    expect(messages.at(-1)?.text).toBe("Seven.");
    expect(model.prompts[2]).toEqual(model.prompts[1]);
  });

  it("is resumed in the same way inside a subgraph", async () => {
    const { model, agent } = failing([new TypeError("fetch failed")]);
    const graph = new StateGraph(agentState)
      .addNode("agent", agent.compile())
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ messages: [question] }, inThread("t"))).rejects.toThrow("fetch failed");
    const { messages } = await graph.invoke(null, inThread("t"));
    expect(model.prompts).toHaveLength(2);
    expect(messages.at(-1)?.text).toBe("Seven.");
  });

  it("does not loop if a retry policy says that the run resumes", async () => {
    const errors = Array.from({ length: 20 }, () => Object.assign(new Error("down"), { name: "Down" }));
    const { model, agent } = failing(errors);
    const graph = agent
      .setNodeDefaults({
        retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false },
      })
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ messages: [question] }, inThread("t"))).rejects.toThrow("down");
    expect(model.prompts.length).toBeLessThanOrEqual(4);
  });
});

it("never folds a result that the model has not seen", async () => {
  const waiting = history({ steps: 21, result: (step) => filler(400, step) });
  const { run, model } = await chat({ limit: 5_000, messages: waiting });
  await run;
  const retried = model.prompts[1] ?? [];
  expect(retried.at(-1)?.text).toBe(filler(400, 20));
  expect(retried.map((message) => foldOf(message)?.kind).filter(Boolean)).toEqual(["summary"]);
});

it("returns to the node that failed, whatever its name", async () => {
  const handler = overflowErrorHandler({ files: VirtualFilesystem.inMemory(), contextWindow: 200_000 });
  const command = await handler(
    { messages: [...past, question] },
    { node: "agent", error: overflow(1) },
    inThread("t"),
  );
  expect(command).toBeInstanceOf(Command);
  expect(command.goto).toEqual(["agent"]);
});

const refuse = () => Promise.reject(new ContextOverflowError("prompt is too long"));

it("two model nodes of one step that are both refused end with the provider's errors, without a checkpointer too", async () => {
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 200_000 };
  const model = (name: string) => ({ errorHandler: overflowErrorHandler(options), ends: [name] });
  const graph = new StateGraph(agentState)
    .addNode("one", refuse, model("one"))
    .addNode("other", refuse, model("other"))
    .addEdge(START, "one")
    .addEdge(START, "other")
    .compile();
  await expect(graph.invoke({ messages: [...past, question] }, inThread("t"))).rejects.toMatchObject({
    errors: [{ message: "prompt is too long" }, { message: "prompt is too long" }],
  });
});

import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptedReply } from "../scripted-reply.js";
import { anthropicDouble, type AnthropicDouble } from "./anthropic-double.js";

const system = new SystemMessage("You audit packages.");
const tools = [
  { name: "read", description: "Reads.", input_schema: { type: "object" as const, properties: {} } },
];
const steps = 4;

let server: AnthropicDouble;
let script: ScriptedReply;
beforeEach(async () => {
  script = { thinking: "Let me look.", text: "Reading.", calls: [{ name: "read", args: {} }] };
  server = await anthropicDouble({ reply: () => script });
});
afterEach(() => server.close());

interface ClientOptions {
  readonly tools?: typeof tools;
  readonly streaming?: boolean;
  readonly model?: string;
  readonly dropsInvalid?: boolean;
}

function client(options: ClientOptions = {}) {
  const { model = "claude-double", streaming = false, dropsInvalid = false } = options;
  const thinking = {
    type: "adaptive",
    ...(dropsInvalid ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
  };
  return new ChatAnthropic({
    model,
    streaming,
    apiKey: "none",
    anthropicApiUrl: server.url,
    maxRetries: 0,
    maxTokens: 1_000,
    ...(dropsInvalid ? { betas: ["thinking-binding-controls-2026-08-01"] } : {}),
    invocationKwargs: { thinking },
  }).bindTools(options.tools ?? tools);
}

/** Plays a tool loop of four calls in which every reply thinks. */
async function play(options: ClientOptions = {}): Promise<BaseMessage[]> {
  const messages: BaseMessage[] = [system, new HumanMessage("Audit it.")];
  for (let step = 0; step < steps; step++) {
    const reply = await client(options).invoke(messages);
    const calls = reply.tool_calls ?? [];
    const result = (id: string) => new ToolMessage({ tool_call_id: id, content: `Result ${step}` });
    messages.push(reply, ...calls.map(({ id }) => result(id ?? "")));
  }
  return messages;
}

/** Returns the status of one more call with these messages. */
async function status(messages: BaseMessage[], options: ClientOptions = {}): Promise<number> {
  await client(options)
    .invoke(messages)
    .catch(() => undefined);
  return server.calls.at(-1)?.status ?? 0;
}

const withoutThinking = (message: BaseMessage) =>
  new AIMessage({
    ...message.lc_kwargs,
    content: (message.content as { type: string }[]).filter(({ type }) => type !== "thinking") as never,
  });
const replyAt = (messages: readonly BaseMessage[], nth: number) =>
  messages.flatMap((message, index) => (AIMessage.isInstance(message) ? [index] : []))[nth] ?? -1;
const replaced = (messages: readonly BaseMessage[], index: number, message: BaseMessage) => [
  ...messages.slice(0, index),
  message,
  ...messages.slice(index + 1),
];

describe.each([false, true])("the Messages API double, streaming %s", (streaming) => {
  it("accepts an append-only history, and sees all of its thinking", async () => {
    await play({ streaming });
    expect(server.calls.map((call) => call.status)).toEqual([200, 200, 200, 200]);
    expect(server.calls.map((call) => call.reasoning)).toEqual([0, 1, 2, 3]);
  });

  it("accepts a history that lost thinking at its front, oldest first", async () => {
    const messages = await play({ streaming });
    const first = replyAt(messages, 0);
    const second = replyAt(messages, 1);
    const one = replaced(messages, first, withoutThinking(messages[first]!));
    expect(await status(one, { streaming })).toBe(200);
    expect(await status(replaced(one, second, withoutThinking(messages[second]!)), { streaming })).toBe(200);
  });

  it("refuses a history that lost thinking in its middle", async () => {
    const messages = await play({ streaming });
    const second = replyAt(messages, 1);
    expect(await status(replaced(messages, second, withoutThinking(messages[second]!)), { streaming })).toBe(
      400,
    );
    expect(server.calls.at(-1)?.error).toContain("Invalid `signature` in `thinking` block");
  });
});

describe("what a change between two requests does to later thinking", () => {
  it.each<[string, (messages: BaseMessage[]) => BaseMessage[]]>([
    [
      "a shortened result",
      (all) => replaced(all, 3, new ToolMessage({ ...all[3]!.lc_kwargs, content: "R" } as never)),
    ],
    ["an edited user message", (all) => replaced(all, 1, new HumanMessage("Audit all of it."))],
    ["another system prompt", (all) => replaced(all, 0, new SystemMessage("You audit."))],
    [
      "a text added to an earlier turn",
      (all) => [...all.slice(0, 2), new HumanMessage("Hurry."), ...all.slice(2)],
    ],
    ["an earlier pair taken out", (all) => [...all.slice(0, 2), ...all.slice(4)]],
  ])("%s is refused", async (_, change) => {
    expect(await status(change(await play()))).toBe(400);
  });

  it("a changed tool description is refused, a deferred tool is not", async () => {
    const messages = await play();
    const renamed = [{ ...tools[0]!, description: "Reads a file." }];
    expect(await status(messages, { tools: renamed })).toBe(400);
    const deferred = { ...tools[0]!, name: "write", defer_loading: true };
    expect(await status(messages, { tools: [...tools, deferred] })).toBe(200);
  });

  it("a moved cache_control and an appended message change nothing", async () => {
    const messages = await play();
    const text = [
      { type: "text" as const, text: "Audit it.", cache_control: { type: "ephemeral" as const } },
    ];
    const moved = replaced(messages, 1, new HumanMessage({ content: text }));
    expect(await status([...moved, new HumanMessage("And now?")])).toBe(200);
  });

  it("all thinking after the mismatch is dropped and reported if the client asks for that", async () => {
    const messages = await play();
    const third = replyAt(messages, 1);
    const edited = replaced(
      messages,
      third + 1,
      new ToolMessage({ ...messages[third + 1]!.lc_kwargs, content: "R" } as never),
    );
    const reply = await client({ dropsInvalid: true }).invoke(edited);
    expect(server.calls.at(-1)).toMatchObject({ status: 200, reasoning: 4 });
    expect(server.calls.at(-1)?.invalid).toHaveLength(2);
    expect(reply.response_metadata["input_transformations"]).toHaveLength(2);
  });

  it("thinking of another model is unreadable and no fault", async () => {
    const messages = await play();
    expect(await status(messages, { model: "claude-other" })).toBe(200);
    expect(new Set(server.calls.at(-1)?.invalid.map(({ reason }) => reason))).toEqual(
      new Set(["model_binding_mismatch"]),
    );
  });
});

describe("the form of a request", () => {
  it("needs a result for each call, directly after it", async () => {
    const messages = await play();
    expect(await status(messages.slice(0, -1))).toBe(400);
    expect(server.calls.at(-1)?.error).toContain("`tool_use` ids were found without `tool_result`");
    expect(await status(messages.toSpliced(2, 1))).toBe(400);
    expect(server.calls.at(-1)?.error).toContain("unexpected `tool_use_id`");
  });

  it("has no empty text, and no more than four breakpoints", async () => {
    expect(await status([new HumanMessage({ content: [{ type: "text", text: "" }] })])).toBe(400);
    const marked = { type: "text" as const, text: "x", cache_control: { type: "ephemeral" as const } };
    expect(await status([new HumanMessage({ content: Array.from({ length: 5 }, () => marked) })])).toBe(400);
    expect(server.calls.at(-1)?.error).toContain("A maximum of 4 blocks");
  });

  it("fits the window, or the answer says so by an error or by a stop reason", async () => {
    await server.close();
    server = await anthropicDouble({ reply: () => script, contextWindow: 100 });
    const long = [new HumanMessage("word ".repeat(200))];
    expect(await status(long)).toBe(400);
    expect(server.calls.at(-1)?.error).toContain("prompt is too long");
    await server.close();
    server = await anthropicDouble({ reply: () => script, contextWindow: 100, overflowAsStopReason: true });
    const reply = await client().invoke(long);
    expect(reply.response_metadata["stop_reason"]).toBe("model_context_window_exceeded");
  });
});

const marked = (text: string) =>
  new HumanMessage({ content: [{ type: "text", text, cache_control: { type: "ephemeral" } }] });

/** Posts a body that the client cannot send. */
const post = async (body: object, betas = "") => {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-beta": betas },
    body: JSON.stringify({ model: "claude-double", max_tokens: 10, tools, ...body }),
  });
  return (await response.json()) as {
    content: Record<string, unknown>[];
    stop_reason: string;
    usage: object;
  };
};

/** Returns the messages of the newest request as they were sent. */
const wire = () => (server.calls.at(-1)?.request.messages ?? []) as { role: string; content: never[] }[];

describe("the prompt cache", () => {
  it("reads the longest prefix that a breakpoint wrote before", async () => {
    script = { text: "Yes." };
    const first = marked("a".repeat(4_000));
    const reply = await client().invoke([first]);
    await client().invoke([first, reply, marked("b".repeat(400))]);
    const [one, two] = server.calls.map(({ usage }) => usage);
    expect(one).toMatchObject({ cache_read_input_tokens: 0 });
    expect(two?.cache_read_input_tokens).toBe(one?.cache_creation_input_tokens);
    expect(two?.cache_creation_input_tokens).toBeGreaterThan(100);
  });

  it("has a breakpoint at the last block where the request asks for automatic caching", async () => {
    const automatic = { cache_control: { type: "ephemeral" } };
    const sent = { role: "user", content: "a".repeat(4_000) };
    await post({ ...automatic, messages: [sent] });
    const reply = { role: "assistant", content: "Yes." };
    await post({ ...automatic, messages: [sent, reply, { role: "user", content: "b".repeat(400) }] });
    const [one, two] = server.calls.map(({ usage }) => usage);
    expect(one?.cache_creation_input_tokens).toBeGreaterThan(1_000);
    expect(two?.cache_read_input_tokens).toBe(one?.cache_creation_input_tokens);
  });

  it("misses after a changed beginning", async () => {
    script = { text: "Yes." };
    await client().invoke([marked("a".repeat(4_000))]);
    await client().invoke([new HumanMessage("Hello"), marked("a".repeat(4_000))]);
    expect(server.calls.at(-1)?.usage?.cache_read_input_tokens).toBe(0);
  });
});

describe("native compaction", () => {
  const request = { system: "You audit packages." };

  it("on demand keeps the thinking of the turns that follow the block", async () => {
    await play();
    const sent = wire();
    const cut = 2;
    const { content, stop_reason } = await post(
      { ...request, messages: sent.slice(0, cut + 1), compaction: { type: "summarize" } },
      "compact-2026-09-04",
    );
    expect(stop_reason).toBe("compaction");
    const kept = sent.slice(cut + 1);
    await post({ ...request, messages: [{ role: "assistant", content }, ...kept] });
    expect(server.calls.at(-1)).toMatchObject({ status: 200, invalid: [] });
    expect(server.calls.at(-1)?.reasoning).toBeGreaterThan(0);
  });

  it("refuses an on-demand block that lost its signature, which LangChain's client takes off", async () => {
    await play();
    const sent = wire();
    const { content } = await post(
      { ...request, messages: sent.slice(0, 3), compaction: { type: "summarize" } },
      "compact-2026-09-04",
    );
    const { type, content: summary } = content[0] ?? {};
    await post({
      ...request,
      messages: [{ role: "assistant", content: [{ type, content: summary }] }, ...sent.slice(3)],
    });
    expect(server.calls.at(-1)?.error).toContain("Invalid `signature` in `compaction` block");
  });

  it("at a threshold comes in the reply, is billed beside it, and covers everything before it", async () => {
    await play();
    const edits = [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 10 } }];
    const sent = { ...request, messages: wire(), context_management: { edits } };
    const { content, usage } = await post(sent, "compact-2026-01-12");
    expect(content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text", "tool_use"]);
    expect(usage).toHaveProperty("iterations");
    const answer = { type: "tool_result", tool_use_id: content[3]?.["id"], content: "Result" };
    const next = [...wire(), { role: "assistant", content }, { role: "user", content: [answer] }];
    await post({ ...request, messages: next });
    expect(server.calls.at(-1)).toMatchObject({ status: 200, reasoning: 1, invalid: [] });
  });

  it("needs its beta", async () => {
    await post({ messages: [{ role: "user", content: "Hi" }], compaction: { type: "summarize" } });
    expect(server.calls.at(-1)?.status).toBe(400);
  });
});

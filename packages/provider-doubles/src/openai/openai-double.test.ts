import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptedReply } from "../scripted-reply.js";
import { openAIDouble, type OpenAIDouble } from "./openai-double.js";

const tool = (description: string) => ({
  type: "function" as const,
  function: { name: "read", description, parameters: { type: "object", properties: {} } },
});

let server: OpenAIDouble;
let script: ScriptedReply;
beforeEach(async () => {
  script = { thinking: "Let me look.", text: "Reading.", calls: [{ name: "read", args: {} }] };
  server = await openAIDouble({ reply: () => script });
});
afterEach(() => server.close());

interface ClientOptions {
  readonly streaming?: boolean;
  readonly description?: string;
  readonly modelKwargs?: Record<string, unknown>;
}

function client({ streaming = false, description = "Reads.", modelKwargs = {} }: ClientOptions = {}) {
  return new ChatOpenAI({
    model: "gpt-double",
    apiKey: "none",
    configuration: { baseURL: server.url },
    useResponsesApi: true,
    streaming,
    maxRetries: 0,
    zdrEnabled: true,
    modelKwargs,
  }).bindTools([tool(description)]);
}

/** Plays a tool loop of four calls in which every reply reasons. */
async function play(options: ClientOptions = {}): Promise<BaseMessage[]> {
  const messages: BaseMessage[] = [new SystemMessage("You audit packages."), new HumanMessage("Audit it.")];
  for (let step = 0; step < 4; step++) {
    const reply = await client(options).invoke(messages);
    const calls = reply.tool_calls ?? [];
    const result = (id: string) => new ToolMessage({ tool_call_id: id, content: `Result ${step}` });
    messages.push(reply, ...calls.map(({ id }) => result(id ?? "")));
  }
  return messages;
}

describe.each([false, true])("the Responses API double, streaming %s", (streaming) => {
  it("accepts an append-only history, and drops none of its reasoning", async () => {
    await play({ streaming });
    expect(server.calls.map((call) => call.status)).toEqual([200, 200, 200, 200]);
    expect(server.calls.map((call) => call.reasoning)).toEqual([0, 1, 2, 3]);
    expect(server.calls.flatMap((call) => call.invalid)).toEqual([]);
  });

  it("drops the reasoning after a shortened result without an error, and reports it", async () => {
    const messages = await play({ streaming });
    const shortened = new ToolMessage({ ...messages[5]!.lc_kwargs, content: "R" } as never);
    await client({ streaming }).invoke(messages.with(5, shortened));
    expect(server.calls.at(-1)).toMatchObject({ status: 200, reasoning: 4 });
    expect(server.calls.at(-1)?.invalid).toHaveLength(2);
  });

  it("counts the replies whose reasoning would be valid, sent or not", async () => {
    const messages = await play({ streaming });
    expect(server.calls.map((call) => call.keepable)).toEqual([0, 1, 2, 3]);
    const shortened = new ToolMessage({ ...messages[5]!.lc_kwargs, content: "R" } as never);
    await client({ streaming }).invoke(messages.with(5, shortened));
    expect(server.calls.at(-1)?.keepable).toBe(2);
  });
});

describe("what is sent to the Responses API", () => {
  it("loses its reasoning to a changed tool description", async () => {
    await client({ description: "Reads a file." }).invoke(await play());
    expect(server.calls.at(-1)?.invalid).toHaveLength(4);
  });

  it("has an output for each call and a call for each output", async () => {
    const messages = await play();
    await expect(client().invoke(messages.slice(0, -1))).rejects.toThrow("No tool output found");
    await expect(client().invoke(messages.toSpliced(2, 1))).rejects.toThrow("No tool call found");
  });

  it("fits the window", async () => {
    await server.close();
    server = await openAIDouble({ reply: () => script, contextWindow: 100 });
    await expect(client().invoke([new HumanMessage("word ".repeat(200))])).rejects.toThrow("context window");
  });

  it("is read from the cache as far as it begins like an earlier request", async () => {
    const messages = await play();
    const cached = server.calls.map(({ cachedTokens }) => cachedTokens);
    expect(cached[0]).toBe(0);
    expect(cached[3]).toBeGreaterThan(cached[2] ?? Infinity);
    await client().invoke(messages.with(1, new HumanMessage("Audit all of it.")));
    expect(server.calls.at(-1)?.cachedTokens).toBeLessThan(cached[3] ?? 0);
  });

  it("is compacted at a threshold by an opaque item, after which reasoning continues", async () => {
    const modelKwargs = { context_management: [{ type: "compaction", compact_threshold: 10 }] };
    const reply = await client({ modelKwargs }).invoke([new HumanMessage("Audit it.")]);
    const output = reply.response_metadata["output"] as readonly { type: string }[];
    expect(output.map(({ type }) => type)).toEqual(["compaction", "reasoning", "message", "function_call"]);
    const answer = new ToolMessage({ tool_call_id: reply.tool_calls?.[0]?.id ?? "", content: "Result" });
    await client().invoke([new HumanMessage("Audit it."), reply, answer]);
    expect(server.calls.at(-1)).toMatchObject({ status: 200, reasoning: 1, invalid: [] });
  });

  it("is compacted on demand by a trigger at its end, and refuses a compaction that it has not made", async () => {
    const asking = new AIMessage({
      content: [],
      response_metadata: { output: [{ type: "compaction_trigger" }] },
    });
    const messages = await play();
    const reply = await client().invoke([...messages, asking]);
    const output = reply.response_metadata["output"] as readonly { type: string }[];
    expect(output.map(({ type }) => type)).toEqual(["compaction"]);
    const next = new HumanMessage("And now?");
    await client().invoke([reply, next]);
    expect(server.calls.at(-1)).toMatchObject({ status: 200, invalid: [] });
    await expect(client().invoke([asking, next])).rejects.toThrow("must be the final input item");
    const foreign = { type: "compaction", encrypted_content: "of another server" };
    const other = new AIMessage({ content: [], response_metadata: { output: [foreign] } });
    await expect(client().invoke([other, next])).rejects.toThrow("could not be decrypted");
  });
});

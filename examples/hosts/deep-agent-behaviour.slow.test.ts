import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { foldOf } from "@palimpsest/context";
import { archiveBackend, contextMiddleware } from "@palimpsest/langgraph/middleware";
import { MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { describe, expect, it } from "vitest";
import { z } from "zod";

type Reply = (prompt: readonly BaseMessage[]) => AIMessage;
type Options = Partial<Parameters<typeof contextMiddleware>[0]>;

class ScriptedModel extends BaseChatModel {
  readonly prompts: (readonly BaseMessage[])[] = [];
  readonly #reply: Reply;

  constructor(reply: Reply) {
    super({});
    this.#reply = reply;
  }

  override get profile(): ModelProfile {
    return { maxInputTokens: 40_000 };
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.prompts.push(messages.filter((message) => message.getType() !== "system"));
    const message = this.#reply(this.prompts.at(-1) ?? []);
    return { generations: [{ text: message.text, message }] };
  }
}

const done: Reply = () => new AIMessage("Done.");

function call(name: string, args: Record<string, unknown>): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name, args }] });
}

/** Answers the first prompts with calls, in order, and ends. */
function calling(...calls: readonly AIMessage[]): Reply {
  return (prompt) =>
    calls[prompt.filter((message) => ToolMessage.isInstance(message)).length] ?? done(prompt);
}

const dump = tool(({ lines }) => linesOf("line", lines), {
  name: "dump",
  description: "Returns lines.",
  schema: z.object({ lines: z.number() }),
});

function linesOf(word: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1} of ${count}`).join("\n");
}

/** A conversation in which the agent speaks at length: `Question n`, then an answer of about 150 tokens. */
function talk(turns: number): BaseMessage[] {
  return Array.from({ length: turns }, (_, turn) => [
    new HumanMessage({ id: `q${turn}`, content: `Question ${turn}` }),
    new AIMessage({ id: `a${turn}`, content: `Answer ${turn}: ${"it depends on the weather. ".repeat(25)}` }),
  ]).flat();
}

async function run(reply: Reply, messages: readonly BaseMessage[], options: Options = {}) {
  const files = options.files ?? VirtualFilesystem.inMemory();
  const model = new ScriptedModel(reply);
  const agent = createDeepAgent({
    model,
    tools: [dump],
    middleware: [contextMiddleware({ summaryModel: "none", ...options, files, host: "deepagents" })],
    backend: new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) }),
  });
  const config = { configurable: { thread_id: "t" } };
  const state = await agent.invoke({ messages: [...messages] }, config);
  return { prompt: model.prompts.at(-1) ?? [], prompts: model.prompts, state, files };
}

const summaryOf = (prompt: readonly BaseMessage[]) =>
  prompt.find((message) => foldOf(message)?.kind === "summary");

/** Reads the file that the summary names. */
const readingTheHistory: Reply = (prompt) => {
  const path = /\/context\/history\/[\w./-]+\.md/.exec(summaryOf(prompt)?.text ?? "")?.[0];
  const isRead = prompt.some((message) => ToolMessage.isInstance(message));
  return isRead || path === undefined ? done(prompt) : call("read_file", { file_path: path });
};

describe("summarization of a deep agent", () => {
  const small = { keep: { messages: 4 }, limits: { offload: 10_000 } };

  it("leaves a conversation below the trigger as it is", async () => {
    const messages = [...talk(3), new HumanMessage({ id: "last", content: "And now?" })];
    const { prompt } = await run(done, messages, { trigger: { messages: 20 } });
    expect(prompt.map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
  });

  it.each([
    ["messages", { messages: 20 }, 12],
    // The instructions and tools of a deep agent count as well, and take about 3,000 tokens.
    ["tokens", { tokens: 5_000 }, 30],
    ["a fraction of the model's window", { fraction: 0.125 }, 30],
  ])("starts at a trigger in %s, and keeps the newest messages word for word", async (_, trigger, turns) => {
    const messages = [...talk(turns), new HumanMessage({ id: "last", content: "And now?" })];
    const { prompt } = await run(done, messages, { ...small, trigger });
    expect(summaryOf(prompt)?.getType()).toBe("human");
    expect(prompt.length).toBeLessThan(messages.length);
    expect(prompt.slice(-4).map(({ text }) => text)).toEqual(messages.slice(-4).map(({ text }) => text));
  });

  it("says in the summary where the conversation is kept, and the agent reads it with its own read_file", async () => {
    const messages = [...talk(30), new HumanMessage({ id: "last", content: "What was answer 3?" })];
    const { prompt } = await run(readingTheHistory, messages, { ...small, trigger: { messages: 20 } });
    expect(prompt.findLast((message) => ToolMessage.isInstance(message))?.text).toContain("Answer 3:");
  });

  it("goes on with the whole conversation while the archive cannot be written", async () => {
    const driver = new MemoryDriver();
    driver.write = async () => {
      throw new Error("disk on fire");
    };
    const messages = [...talk(15), new HumanMessage({ id: "last", content: "And now?" })];
    const files = new VirtualFilesystem({ driver });
    const { prompt, state } = await run(done, messages, { ...small, files, trigger: { messages: 20 } });
    expect(prompt.map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
    expect(state.messages.at(-1)?.text).toBe("Done.");
  });

  it("shortens large arguments of old calls, and keeps the version that was written", async () => {
    const content = linesOf("written", 2_000);
    const write = new AIMessage({
      id: "w",
      content: "",
      tool_calls: [{ id: "c1", name: "write_file", args: { file_path: "/a.txt", content } }],
    });
    const result = new ToolMessage({ id: "r", tool_call_id: "c1", name: "write_file", content: "Wrote it." });
    const start = new HumanMessage({ id: "start", content: "Write it" });
    const messages = [
      start,
      write,
      result,
      ...talk(8),
      new HumanMessage({ id: "last", content: "And now?" }),
    ];
    const trigger = { tokens: 5_000 };
    const { prompt, files } = await run(done, messages, { trigger, keep: { messages: 6 } });
    expect(JSON.stringify(prompt.map(({ lc_kwargs }) => lc_kwargs)).length).toBeLessThan(content.length);
    const kept: string[] = [];
    for await (const { path } of files.archive("t").list())
      kept.push(await files.archive("t").readText(path));
    expect(kept.some((text) => text.includes("written 2000 of 2000"))).toBe(true);
  });
});

/** Makes a large result, and reads its end by the path in the preview. */
const readingTheEnd: Reply = (prompt) => {
  const results = prompt.filter((message) => ToolMessage.isInstance(message));
  if (results.length === 0) return call("dump", { lines: 9_000 });
  const path = /\/context\/results\/[\w./-]+\.txt/.exec(results[0]?.text ?? "")?.[0] ?? "none";
  if (results.length === 1) return call("read_file", { file_path: path, offset: 8_990, limit: 20 });
  return done(prompt);
};

describe("large results of a deep agent's tools", () => {
  it("stay whole below the limit", async () => {
    const { prompt } = await run(calling(call("dump", { lines: 20 })), [new HumanMessage("Go")]);
    expect(prompt.at(-1)?.text).toBe(linesOf("line", 20));
  });

  it("become a preview of their beginning with the path, by which the agent reads them", async () => {
    const { prompt } = await run(readingTheEnd, [new HumanMessage("Go")], { limits: { offload: 5_000 } });
    const [preview, page] = prompt.filter((message) => ToolMessage.isInstance(message));
    expect(preview?.text.length).toBeLessThan(5_000);
    expect(preview?.text).toContain("line 1 of 9000");
    expect(page?.text).toContain("line 9000 of 9000");
  });

  it("a page that read_file returns is not taken out of the prompt again", async () => {
    const write = call("write_file", { file_path: "/a.txt", content: linesOf("own", 300) });
    const read = call("read_file", { file_path: "/a.txt", limit: 300 });
    const { prompt } = await run(calling(write, read), [new HumanMessage("Go")], {
      limits: { offload: 5_000 },
    });
    expect(prompt.at(-1)?.text).toContain("own 300 of 300");
  });
});

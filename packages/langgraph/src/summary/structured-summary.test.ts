import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { parseSummary } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { afterEach, describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions, SummaryModel } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { chatServer, type ChatServer, type WireAnswer, type WireRequest } from "../testing/chat-server.js";
import { filler, history } from "../testing/history.js";
import { compact } from "../testing/compact.js";
import { writtenIn } from "../testing/written-in.js";

const messages = history({ steps: 25, result: (step) => `Port ${8000 + step}.\n${filler(300, step)}` });
const config = { configurable: { thread_id: "t" } };
const answer = {
  findings: [{ fact: "Host 3 listens on 8003", source: "search" }],
  decisions: [{ decision: "Skip host 4", reason: "it is down" }],
  nextSteps: ["Look at host 26"],
};

let server: ChatServer | undefined;
afterEach(() => server?.close());

async function client(reply: (request: WireRequest) => WireAnswer, maxRetries = 0) {
  server = await chatServer(reply);
  const configuration = { baseURL: server.url };
  return new ChatOpenAI({ model: "local", apiKey: "none", maxRetries, configuration });
}

/** Returns the client as a model whose profile says that it supports schemas. */
function withSchemas(model: ChatOpenAI): SummaryModel {
  return {
    profile: { structuredOutput: true },
    invoke: (messages, options) => model.invoke(messages, options),
    withStructuredOutput: (schema, config) => model.withStructuredOutput(schema, config),
  };
}

async function compacted(model: ContextOptions["model"], options: Partial<ContextOptions>, list = messages) {
  const events: ContextEvent[] = [];
  const resolved = resolveOptions({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    onEvent: (event) => events.push(event),
    ...(model === undefined ? {} : { model }),
    ...options,
  });
  const { messages: context } = await compact({ messages: list, config, only: "summary" }, resolved);
  const next = events.flatMap((event) => (event.type === "context.fail" ? [event.next] : []));
  return { context, summary: parseSummary(context.find(isSummary)?.text ?? ""), next };
}

it("the client of the summary model retries a server error, and the compaction gets one answer", async () => {
  const error = { message: "overloaded", code: "busy", type: "server_error" };
  const answers: WireAnswer[] = [{ status: 503, error }];
  const model = await client(() => answers.pop() ?? { content: "## Findings\n- Host 3 listens on 8003" }, 1);
  const { summary, next } = await compacted(model, {});
  expect(summary?.findings).toContain("Host 3 listens on 8003");
  expect(server?.requests[1]?.text).toBe(server?.requests[0]?.text);
  expect(next).toEqual([]);
});

describe("the client of OpenAI, bound to the schema of a record", () => {
  it("is sent the schema, and its answer is the record", async () => {
    const model = await client(() => ({ content: JSON.stringify(answer) }));
    const { summary, next } = await compacted(withSchemas(model), {});
    const body = JSON.parse(server?.requests[0]?.text ?? "{}") as {
      response_format?: { type: string; json_schema: { schema: { properties: Record<string, unknown> } } };
    };
    expect(body.response_format?.type).toBe("json_schema");
    expect(Object.keys(body.response_format?.json_schema.schema.properties ?? {})).toContain("obsolete");
    expect(writtenIn(summary)).toEqual(["Host 3 listens on 8003 (search)"]);
    expect(summary).toMatchObject({
      decisions: ["Skip host 4 (because: it is down)"],
      nextSteps: ["Look at host 26"],
    });
    expect(next).toEqual([]);
  });

  it("is asked without a schema if the provider refuses one", async () => {
    const error = { message: "response_format is not supported", code: "bad", type: "invalid_request_error" };
    const model = await client(({ text }) =>
      text.includes("response_format")
        ? { status: 400, error }
        : { content: "## Findings\n- Host 3 listens on 8003" },
    );
    const { summary, next } = await compacted(withSchemas(model), {});
    expect(writtenIn(summary)).toEqual(["Host 3 listens on 8003"]);
    expect(next).toEqual(["retry"]);
  });

  it("is read even if it does not follow the schema", async () => {
    const model = await client(() => ({
      content: `Here you are:\n\`\`\`json\n${JSON.stringify(answer)},\n\`\`\``,
    }));
    const { summary } = await compacted(withSchemas(model), {});
    expect(writtenIn(summary)).toEqual(["Host 3 listens on 8003 (search)"]);
  });

  it("is not bound to a schema unless its profile says that it supports one", async () => {
    const model = await client(() => ({ content: "## Findings\n- Host 3 listens on 8003" }));
    const { summary } = await compacted(model, {});
    expect(server?.requests[0]?.text).not.toContain("response_format");
    expect(writtenIn(summary)).toEqual(["Host 3 listens on 8003"]);
  });
});

describe("a later summary", () => {
  it("patches the earlier record: the model sees its entries by id, and entries that it does not name stay", async () => {
    const asked: string[] = [];
    const replies = [
      "## Findings\n- Host 3 listens on 8003\n- Host 4 is down",
      "## Findings\n- Host 30 is up\n## Obsolete\n- f2",
    ];
    const model = {
      invoke: async (prompt: BaseMessage[]) =>
        new AIMessage(replies[asked.push(String(prompt[1]?.text)) - 1] ?? ""),
      profile: { maxInputTokens: 50_000 },
    };
    const files = VirtualFilesystem.inMemory();
    const { context } = await compacted(model, { files });
    const more = history({ steps: 25, result: (step) => filler(300, step + 100) })
      .slice(1)
      .map((message) => renamed(message));
    const { summary } = await compacted(model, { files }, [...context, ...more]);
    expect(asked[1]).toContain("- [f1] Host 3 listens on 8003\n- [f2] Host 4 is down");
    expect(asked[1]).not.toContain("Originals:");
    expect(writtenIn(summary)).toEqual(["Host 3 listens on 8003", "Host 30 is up"]);
    expect(summary?.index).toHaveLength(1);
    expect(summary?.index[0]).toMatch(/: \/context\/history\/0001-/);
  });
});

/** A second turn of the same thread: ids of its own. */
function renamed(message: BaseMessage): BaseMessage {
  if (message instanceof ToolMessage) {
    return new ToolMessage({
      id: `2-${message.id}`,
      content: message.text,
      tool_call_id: `2-${message.tool_call_id}`,
      name: "search",
    });
  }
  const { tool_calls: calls = [] } = message as AIMessage;
  if (calls.length === 0) return new HumanMessage({ id: `2-${message.id}`, content: message.text });
  return new AIMessage({
    id: `2-${message.id}`,
    content: message.text,
    tool_calls: calls.map((call) => ({ ...call, id: `2-${call.id}` })),
  });
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface WireBody {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface LocalServer {
  readonly url: string;
  /** Requests so far. */
  readonly count: () => number;
  readonly close: () => Promise<void>;
}

/** Returns a server on this machine that speaks Chat Completions, and answers by a function of prompt and tool names. */
export async function localServer(
  answer: (prompt: readonly BaseMessage[], tools: readonly string[]) => AIMessage,
): Promise<LocalServer> {
  let count = 0;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    const { messages, tools = [] } = JSON.parse(text) as WireBody;
    const names = tools.map((tool) => tool.function.name);
    const reply = answer(messages.map(fromWire), names);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(completion(reply, ++count, text.length)));
  }
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    count: () => count,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function fromWire({
  role,
  content,
  tool_call_id: id = "",
  tool_calls: calls = [],
}: WireMessage): BaseMessage {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  if (role === "system" || role === "developer") return new SystemMessage(text);
  if (role === "tool") return new ToolMessage({ content: text, tool_call_id: id });
  if (role !== "assistant") return new HumanMessage(text);
  const tool_calls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    args: JSON.parse(call.function.arguments) as Record<string, unknown>,
    type: "tool_call" as const,
  }));
  return new AIMessage({ content: text, tool_calls });
}

function completion(reply: AIMessage, count: number, characters: number) {
  const calls = (reply.tool_calls ?? []).map(({ name, args }, index) => ({
    id: `call-${count}-${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: "assistant",
    content: reply.text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const prompt = Math.ceil(characters / 4);
  return {
    id: `chatcmpl-${count}`,
    object: "chat.completion",
    created: 1,
    model: "local",
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: prompt, completion_tokens: 10, total_tokens: prompt + 10 },
  };
}

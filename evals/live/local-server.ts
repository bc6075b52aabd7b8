import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { coerceMessageLikeToMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";

interface WireBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
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
    const body = await text(request);
    const { messages, tools = [] } = JSON.parse(body) as WireBody;
    const prompt = messages.map(({ content, ...rest }) =>
      coerceMessageLikeToMessage({ ...rest, content: content ?? "" } as never),
    );
    const names = tools.map((tool) => tool.function.name);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(completion(answer(prompt, names), ++count, body.length)));
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

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { countPrompt } from "../count-prompt.js";
import { decide } from "../offline/decide.js";
import { type WireTool } from "../wire-tool.js";

/** A server that speaks the Chat Completions protocol. */
export interface OpenAiServer {
  /** What `OPENAI_BASE_URL` has to be. */
  readonly url: string;
  /** Bodies of the requests so far, as they came. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a server on a free port that answers with the offline model's policy, streamed when asked: text in small pieces,
 * tool calls with their arguments in pieces. Requests without tools get a short summary.
 */
export async function startOpenAiServer({ failWith }: { failWith?: number } = {}): Promise<OpenAiServer> {
  const requests: string[] = [];
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    requests.push(body);
    if (failWith === undefined) answer(JSON.parse(body) as ChatRequest, response);
    else refuse(response, failWith);
  }
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
}

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function answer(request: ChatRequest, response: ServerResponse): void {
  const messages = request.messages.map(fromWire);
  const usage = usageOf(messages, request.tools ?? []);
  const reply =
    request.tools === undefined
      ? { text: "## Findings\n- The packages so far are in the notes.", calls: [] }
      : decide(messages, request.tools);
  const id = `chatcmpl-${request.messages.length}-${Date.now()}`;
  const tool_calls = reply.calls.map((call, index) => ({
    index,
    id: `call_${id}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const finish = tool_calls.length > 0 ? "tool_calls" : "stop";
  const base = { id, created: 1, model: request.model };
  if (request.stream === true) {
    const deltas = [
      { role: "assistant", content: "" },
      ...pieces(reply.text),
      ...tool_calls.flatMap(callPieces),
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (fields: object): void => {
      response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...fields })}\n\n`);
    };
    for (const delta of deltas) send({ choices: [{ index: 0, delta, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    send({ choices: [], usage });
    response.end("data: [DONE]\n\n");
    return;
  }
  const message = {
    role: "assistant",
    content: reply.text,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  response.writeHead(200, { "content-type": "application/json" });
  const choices = [{ index: 0, message, finish_reason: finish }];
  response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }));
}

/** Honest usage: the agent's context is measured by it. */
function usageOf(messages: readonly BaseMessage[], tools: readonly WireTool[]): object {
  const { total } = countPrompt(messages, tools);
  return { prompt_tokens: total, completion_tokens: 10, total_tokens: total + 10 };
}

function pieces(text: string): object[] {
  return (text.match(/[\s\S]{1,17}/g) ?? []).map((content) => ({ content }));
}

interface WireCall {
  readonly index: number;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool call as providers stream it: first its name, then its arguments piece by piece. */
function callPieces(call: WireCall): object[] {
  const head = { ...call, function: { name: call.function.name, arguments: "" } };
  const rest = call.function.arguments.match(/[\s\S]{1,40}/g) ?? [];
  const tails = rest.map((part) => ({ index: call.index, function: { arguments: part } }));
  return [head, ...tails].map((each) => ({ tool_calls: [each] }));
}

function fromWire(message: WireMessage): BaseMessage {
  const content = message.content ?? "";
  if (message.role === "system") return new SystemMessage(content);
  if (message.role === "user") return new HumanMessage(content);
  if (message.role === "tool") return new ToolMessage({ content, tool_call_id: message.tool_call_id ?? "" });
  const tool_calls = (message.tool_calls ?? []).map((call) => ({
    type: "tool_call" as const,
    id: call.id,
    name: call.function.name,
    args: JSON.parse(call.function.arguments) as Record<string, unknown>,
  }));
  return new AIMessage({ content, tool_calls });
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message: "No such key", type: "invalid_request_error" } }));
}

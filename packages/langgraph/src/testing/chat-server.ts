import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as received. */
export interface WireRequest {
  readonly text: string;
  readonly messages: readonly WireMessage[];
  readonly stream: boolean;
}

export interface WireMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** The reply of the server, or its error. */
export type WireAnswer =
  | {
      readonly content: string;
      /** What the model thought, as servers of open models report it. */
      readonly reasoning?: string;
      readonly calls?: readonly WireCall[];
    }
  | {
      readonly status: number;
      readonly error: { readonly message: string; readonly code: string; readonly type: string };
    };

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ChatServer {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  readonly close: () => Promise<void>;
}

/** Returns a local server of the Chat Completions API, with and without streaming. */
export async function chatServer(answer: (request: WireRequest) => WireAnswer): Promise<ChatServer> {
  const requests: WireRequest[] = [];
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(incoming);
    const body = JSON.parse(text) as { messages: WireMessage[]; stream?: boolean };
    const request = { text, messages: body.messages, stream: body.stream === true };
    requests.push(request);
    respond(response, request, { id: `chatcmpl-${requests.length}`, answer: answer(request) });
  }
  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

interface Reply {
  /** LangChain uses it as the message id. */
  readonly id: string;
  readonly answer: WireAnswer;
}

function respond(response: ServerResponse, request: WireRequest, { id, answer }: Reply): void {
  if ("error" in answer) {
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(JSON.stringify({ error: answer.error }));
    return;
  }
  const calls = (answer.calls ?? []).map(({ id, name, args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: "assistant",
    content: answer.content,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  const prompt = Math.ceil(request.text.length / 4);
  const usage = { prompt_tokens: prompt, completion_tokens: 10, total_tokens: prompt + 10 };
  const base = { id, created: 1, model: "local" };
  if (!request.stream) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    const body = { ...base, object: "chat.completion", choices, usage };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  const deltas = [
    ...Array.from(answer.reasoning ?? "", (character) => ({ reasoning_content: character })),
    ...Array.from(answer.content, (character) => ({ content: character })),
  ];
  const choices = [
    { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null },
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    ...calls.map((call) => ({ index: 0, delta: { tool_calls: [call] }, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finish },
  ];
  const chunks = [
    ...choices.map((choice) => ({ ...base, object: "chat.completion.chunk", choices: [choice] })),
    { ...base, object: "chat.completion.chunk", choices: [], usage },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
}

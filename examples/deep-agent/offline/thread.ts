import { type AIMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";

/** A tool call and what came back. */
export interface Exchange {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** One message of the assistant with the results of its calls. */
export interface Turn {
  readonly said: string;
  readonly exchanges: readonly Exchange[];
}

/** The conversation as the model reads it. */
export interface Thread {
  /** The first message of the user. */
  readonly request: string;
  readonly turns: readonly Turn[];
}

/** A tool call that the model wants to make. */
export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the model answers: some text, and calls; without calls it has finished. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
}

/** Returns the conversation in the messages. Pure. */
export function readThread(messages: readonly BaseMessage[]): Thread {
  const results = new Map<string, string>();
  for (const message of messages)
    if (message.type === "tool") results.set((message as ToolMessage).tool_call_id, message.text);
  const request = messages.find((message) => message.type === "human" && message.text.startsWith("# "));
  const turns = messages
    .filter((message) => message.type === "ai")
    .map((message) => ({
      said: message.text,
      exchanges: ((message as AIMessage).tool_calls ?? []).map((call) => ({
        tool: call.name,
        args: call.args as Record<string, unknown>,
        result: results.get(call.id ?? "") ?? "",
      })),
    }));
  return { request: request?.text ?? "", turns };
}

/** Every exchange in view, oldest first. */
export function exchangesOf(thread: Thread): Exchange[] {
  return thread.turns.flatMap((turn) => turn.exchanges);
}

/** The last turn, which is what the model answers to. */
export function lastTurn(thread: Thread): Turn {
  return thread.turns.at(-1) ?? { said: "", exchanges: [] };
}

/** An argument as text; empty when it is absent. */
export function argument(exchange: Exchange, name: string): string {
  const value = exchange.args[name];
  return typeof value === "string" ? value : "";
}

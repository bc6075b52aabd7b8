import { ToolMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type StructuredToolInterface } from "@langchain/core/tools";
import { toStoredMessage } from "@palimpsest/context";
import { z } from "zod";
import { todoSchema } from "./agent/todos-value.js";
import { countPrompt, countTokens } from "./count-prompt.js";
import { type Watch } from "./events.js";
import { type WireTool } from "./wire-tool.js";

/** A message as it was produced, as JSON text, so that nothing can change it later. */
export interface Produced {
  readonly type: string;
  readonly json: string;
}

/**
 * Keeps aside what the model and the tools really produced, before anything is folded, and counts every prompt.
 * It is the witness of the demo: the agent never reads it.
 */
export class Recorder {
  /** Thread id -> messages in the order in which they were produced. */
  readonly threads = new Map<string, Produced[]>();
  /** Thread id -> the messages in its context when it ended. */
  readonly contexts = new Map<string, readonly BaseMessage[]>();
  /** Prompts sent, and the tokens of the largest one. */
  readonly prompts = { count: 0, peak: 0, subagents: 0 };
  /** Tokens of everything that the tools returned. */
  toolTokens = 0;
  /** Tool name -> calls. */
  readonly calls = new Map<string, number>();
  readonly #results = new Map<string, string>();
  readonly #watch: Watch;
  readonly #mainThread: string;

  constructor({ watch, mainThread }: { watch: Watch; mainThread: string }) {
    this.#watch = watch;
    this.#mainThread = mainThread;
  }

  prompt(threadId: string, messages: readonly BaseMessage[], tools: readonly WireTool[]): void {
    const parts = countPrompt(messages, tools);
    if (threadId === this.#mainThread) this.prompts.count += 1;
    else this.prompts.subagents += 1;
    this.prompts.peak = Math.max(this.prompts.peak, parts.total);
    this.#watch({ type: "prompt", threadId, step: this.prompts.count, parts });
  }

  message(threadId: string, message: BaseMessage): void {
    const produced = this.threads.get(threadId) ?? [];
    produced.push({ type: message.type, json: asJson(message) });
    this.threads.set(threadId, produced);
    if (message.type !== "ai") return;
    const calls = (message as AIMessage).tool_calls ?? [];
    const tools = calls.map((call) => call.name);
    for (const name of tools) this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    this.#watch({ type: "reply", threadId, text: message.text, tools });
    const list = calls.find((call) => call.name === "write_todos")?.args["todos"] as unknown;
    const todos = z.array(todoSchema).safeParse(list);
    if (todos.success) this.#watch({ type: "todos", threadId, todos: todos.data });
  }

  /** The messages that were in the context of a thread when it ended. */
  finished(threadId: string, messages: readonly BaseMessage[]): void {
    this.contexts.set(threadId, messages);
  }

  /** The messages that a tool node returned. Results that were recorded at their source count as they were there. */
  toolMessages(threadId: string, messages: readonly ToolMessage[]): void {
    for (const message of messages) {
      const source = `${threadId} ${message.tool_call_id}`;
      const raw = this.#results.get(source);
      this.#results.delete(source);
      const content = raw ?? message.text;
      this.message(threadId, message);
      if (raw !== undefined) {
        const produced = this.threads.get(threadId) ?? [];
        produced.splice(-1, 1, { type: "tool", json: toolJson({ ...fieldsOf(message), content: raw }) });
      }
      const tokens = countTokens(content);
      this.toolTokens += tokens;
      this.#watch({ type: "result", threadId, tool: message.name ?? "", tokens });
    }
  }

  /** Returns the tools with a witness inside: what they return is noted before anybody else sees it. */
  wrap(tools: readonly StructuredToolInterface[]): StructuredToolInterface[] {
    return tools.map(
      (inner) =>
        new DynamicStructuredTool({
          name: inner.name,
          description: inner.description,
          schema: inner.schema,
          func: async (args: object, _run, config) => {
            const { configurable = {}, toolCall } = config as WithCall;
            const call = { type: "tool_call" as const, id: toolCall?.id ?? "", name: inner.name, args };
            const result: unknown = await inner.invoke(call, { configurable });
            const content = ToolMessage.isInstance(result) ? result.text : String(result);
            this.#results.set(`${String(configurable["thread_id"])} ${call.id}`, content);
            return content;
          },
        }),
    );
  }
}

interface WithCall {
  readonly configurable?: Record<string, unknown>;
  readonly toolCall?: { readonly id?: string };
}

/**
 * Returns a message as JSON text for the comparison. The ids of tool messages are left out: the graph assigns them after
 * the tool has returned.
 */
export function asJson(message: BaseMessage): string {
  if (message.type === "tool") return toolJson(fieldsOf(message as ToolMessage));
  return JSON.stringify(toStoredMessage(message));
}

function fieldsOf({ content, tool_call_id, name, status, artifact }: ToolMessage): object {
  return { content, tool_call_id, name, status: status ?? "success", artifact };
}

function toolJson(fields: object): string {
  return JSON.stringify(fields);
}

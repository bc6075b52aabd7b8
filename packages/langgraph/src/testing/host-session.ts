import { ContextOverflowError } from "@langchain/core/errors";
import {
  AIMessage,
  isBaseMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, Overwrite, REMOVE_ALL_MESSAGES, type Command } from "@langchain/langgraph";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, type AgentMiddleware } from "langchain";
import { z } from "zod";
import type { GraphNode, overflowErrorHandler } from "../index.js";
import { contextIn, readThread } from "../threads/index.js";
import { inThread } from "./agent-graph.js";
import { ScriptedModel } from "./scripted-model.js";

/** One thread in one host, driven from outside. */
export interface HostSession {
  /** Lets messages arrive, runs the host, and returns the prompt of the model. */
  send(added: readonly BaseMessage[]): Promise<readonly BaseMessage[]>;
  /** Returns the messages that the host sees. */
  messages(): Promise<readonly BaseMessage[]>;
  /** Puts other messages in their place, as a host does between two runs. */
  change(messages: readonly BaseMessage[]): Promise<void>;
  /** Returns the thread with every fold opened. */
  thread(): Promise<readonly BaseMessage[]>;
}

const config = inThread("t");

type State = Record<string, unknown> & { messages: readonly BaseMessage[] };

/** Returns a session of a node that a graph runs before the model, which sends what `read` finds in the state. */
export function nodeSession(
  node: GraphNode,
  files: VirtualFilesystem,
  read: (state: State) => readonly BaseMessage[] = ({ messages }) => messages,
): HostSession {
  let state: State = { messages: [], compaction: {} };
  const context = () => read(state);
  return {
    async send(added) {
      state = { ...state, messages: joined(state.messages, added) };
      const update = (await node(state, config)) as Record<string, unknown>;
      for (const [key, value] of Object.entries(update)) state[key] = merged(key, value, state);
      return context();
    },
    messages: async () => state.messages,
    async change(messages) {
      state = { ...state, messages };
    },
    thread: () => opened(context(), files),
  };
}

/** Returns the node that an error handler is, for a provider that refuses every prompt once. */
export function handlerNode(handle: ReturnType<typeof overflowErrorHandler>): GraphNode {
  const error = new ContextOverflowError("prompt is too long");
  return async function compactOrGiveUp(state, runConfig) {
    try {
      const command: Command = await handle(state, { node: "model", error }, runConfig);
      return (command.update ?? {}) as Record<string, unknown>;
    } catch (thrown) {
      if (ContextOverflowError.isInstance(thrown)) return {};
      throw thrown;
    }
  };
}

/** Returns a session of a `createAgent` agent, whose model answers each prompt with one line. */
export function agentSession(
  middleware: readonly AgentMiddleware[],
  files: VirtualFilesystem,
  contextWindow: number,
): HostSession {
  const model = new ScriptedModel(
    (_, call) => new AIMessage({ id: `reply-${call}`, content: "Yes." }),
    0,
    contextWindow,
  );
  const { graph } = createAgent({
    model,
    tools: [],
    middleware: [...middleware],
    checkpointer: new MemorySaver(),
  });
  const messages = async () =>
    ((await graph.getState(config)).values as { messages?: readonly BaseMessage[] }).messages ?? [];
  return {
    async send(added) {
      await graph.invoke({ messages: [...added] }, config);
      return (model.prompts.at(-1) ?? []).filter((message) => message.getType() !== "system");
    },
    messages,
    async change(list) {
      const removal = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
      await graph.updateState(config, { messages: [removal, ...list] }, "model_request");
    },
    async thread() {
      const { values } = (await graph.getState(config)) as { readonly values: Partial<State> };
      return opened(contextIn(values), files);
    },
  };
}

type Wrap = (tools: readonly ReturnType<typeof tool>[]) => readonly unknown[];

/** Returns a session of a graph in which only the tools change anything: each new result comes out of one. */
export function toolsSession(wrap: Wrap, files: VirtualFilesystem): HostSession {
  let messages: readonly BaseMessage[] = [];
  return {
    async send(added) {
      for (const message of added) {
        const isNew = !messages.some(({ id }) => id === message.id);
        const arrived =
          isNew && ToolMessage.isInstance(message) ? await answered(message, messages) : message;
        messages = joined(messages, [arrived]);
      }
      return messages;
    },
    messages: async () => messages,
    async change(list) {
      messages = list;
    },
    thread: () => opened(messages, files),
  };

  async function answered(message: ToolMessage, before: readonly BaseMessage[]): Promise<BaseMessage> {
    const { name = "tool", tool_call_id: id } = message;
    const own = tool(async () => message, { name, description: name, schema: z.looseObject({}) });
    const calls = before.flatMap((one) => (one as AIMessage).tool_calls ?? []);
    const { args = {} } = calls.find((call) => call.id === id) ?? {};
    const [wrapped] = wrap([own as never]) as { invoke(input: object, config: object): Promise<unknown> }[];
    const runConfig = { ...config, state: { messages: before } };
    const result = await wrapped?.invoke({ type: "tool_call", id, name, args }, runConfig);
    return isBaseMessage(result) ? result : message;
  }
}

/** Joins lists as the reducer of a graph does: by id. */
function joined(before: readonly BaseMessage[], added: readonly BaseMessage[]): readonly BaseMessage[] {
  const byId = new Map(added.map((message) => [message.id, message]));
  const known = new Set(before.map(({ id }) => id));
  return [
    ...before.map((message) => byId.get(message.id) ?? message),
    ...added.filter(({ id }) => !known.has(id)),
  ];
}

function merged(key: string, value: unknown, state: State): unknown {
  if (key === "compaction") return { ...(state["compaction"] as object), ...(value as object) };
  return Overwrite.isInstance<BaseMessage[]>(value) ? value.value : value;
}

async function opened(
  messages: readonly BaseMessage[],
  files: VirtualFilesystem,
): Promise<readonly BaseMessage[]> {
  const graph = { getState: async () => ({ values: { messages } }) };
  return readThread(graph, config, { files });
}

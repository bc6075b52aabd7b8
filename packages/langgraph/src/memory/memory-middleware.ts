import { isBaseMessage, type BaseMessage, type SystemMessage } from "@langchain/core/messages";
import { ContextError, toolCalls } from "@palimpsest/context";
import { isToolResult, isUserMessage, messageText } from "@palimpsest/context/internal";
import { createMiddleware } from "langchain";
import { requireOptions } from "../options/require-options.js";
import { threadIdOf } from "../run-config.js";
import { partsOf } from "../run/reply.js";
import type { ScopeMemory } from "./scope-memory.js";

export interface MemoryMiddlewareOptions {
  readonly memory: ScopeMemory;
  /**
   * Called when the notes cannot be read, or a turn cannot be recorded: the agent goes on, and the next turn records both. It must not
   * throw. @default nothing
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Returns the middleware that begins each thread of a `createAgent` agent with the notes of its scope, first those about its first request, and records each turn when
 * the model has replied. It takes no step of the graph. Put it before `contextMiddleware`, which then counts the notes.
 *
 * A reply is recorded as the model gave it. What an `afterModel` hook of other middleware makes of it, such as a redaction, and a turn
 * that a tool with `returnDirect` has ended, are recorded in the next turn.
 *
 * A run without a `thread_id` or without a scope is left as it is.
 * @throws ContextError when an option cannot work; at a model call, for a thread of another scope.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions) {
  requireOptions(options, "memoryMiddleware");
  const { memory, onError } = options;
  return createMiddleware({
    name: "MemoryMiddleware",
    async wrapModelCall(request, handler) {
      const { runtime, state, systemMessage } = request;
      const threadId = threadIdOf(runtime, undefined);
      const scope = threadId === undefined ? undefined : memory.scopeOf(runtime);
      if (threadId === undefined || scope === undefined) return handler(request);
      const asked = state.messages.findLast(isUserMessage);
      const notes = await orReport(memory.opening(scope, threadId, asked && messageText(asked)), onError);
      const reply = await handler(
        notes ? { ...request, systemMessage: withNotes(systemMessage, notes) } : request,
      );
      // A command of another middleware is no message: the next turn records this one too.
      const said = partsOf(reply).said.filter((message) => isBaseMessage(message));
      if (isReplied(said) || isAfterResult(state.messages))
        await orReport(memory.record({ scope, threadId }, [...state.messages, ...said]), onError);
      return reply;
    },
  });
}

/** Returns true for a reply that ends a turn: structured output by a tool call has a closing message. */
function isReplied(said: readonly BaseMessage[]): boolean {
  const last = said.at(-1);
  return last !== undefined && toolCalls(last).length === 0;
}

/** Returns true at the beginning of a turn behind one that ended with a result, as a tool with `returnDirect` ends it. */
function isAfterResult(messages: readonly BaseMessage[]): boolean {
  const [before, newest] = messages.slice(-2);
  return before !== undefined && newest !== undefined && isToolResult(before) && isUserMessage(newest);
}

function withNotes(systemMessage: SystemMessage, notes: string): SystemMessage {
  return systemMessage.concat(systemMessage.text === "" ? notes : `\n\n${notes}`);
}

/** Waits for the memory, without which the agent goes on; only a thread of another scope ends the run. */
async function orReport<T>(
  work: Promise<T>,
  onError: MemoryMiddlewareOptions["onError"],
): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (ContextError.isInstance(error) && error.code === "bad-option") throw error;
    onError?.(error);
    return undefined;
  });
}

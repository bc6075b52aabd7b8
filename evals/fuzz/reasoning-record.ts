import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  contentBlocks,
  hasBoundReasoning,
  isReasoningBlock,
  nativeStart,
} from "@palimpsest/context/internal";

/** What stood before a reply when the model gave it. */
interface Origin {
  /** Images of the messages, without their reasoning, from the newest compaction of the provider on. */
  readonly prefix: string;
  /** Id of the newest reply before it with reasoning. */
  readonly previous: string | undefined;
}

/**
 * Remembers the prefix on which each reply of a thread was made, and names the replies whose reasoning is bound to another.
 *
 * The published rule: reasoning is bound to every message before it and to the reasoning before it, and is no part of the
 * prefix of what follows, so that it may be missing from the front and nowhere else.
 */
export class ReasoningRecord {
  readonly #origins = new Map<string, Origin>();

  /** Records the replies from `start` on, which have just come behind the others. */
  record(context: readonly BaseMessage[], start: number): void {
    for (const { message, origin } of thoughtIn(context)) {
      if (context.indexOf(message) >= start) this.#origins.set(message.id ?? "", origin);
    }
  }

  /** Returns the ids of the replies with reasoning that a provider would refuse or drop. */
  stale(context: readonly BaseMessage[]): readonly string[] {
    return thoughtIn(context).flatMap(({ message: { id = "" }, origin: { prefix, previous } }) => {
      const made = this.#origins.get(id);
      const isValid = made?.prefix === prefix && (previous === undefined || previous === made.previous);
      return isValid ? [] : [id];
    });
  }
}

/** Returns the replies with bound reasoning behind the newest compaction of the provider, each with what stands before it. */
function thoughtIn(context: readonly BaseMessage[]) {
  const thought: { readonly message: BaseMessage; readonly origin: Origin }[] = [];
  const images: string[] = [];
  let previous: string | undefined;
  for (const message of context.slice(nativeStart(context) + 1)) {
    if (hasBoundReasoning(message)) {
      thought.push({ message, origin: { prefix: images.join("\n"), previous } });
      previous = message.id;
    }
    images.push(imageOf(message));
  }
  return thought;
}

/** Returns what a provider receives of a message, but for its reasoning. */
function imageOf(message: BaseMessage): string {
  const { tool_calls: calls, tool_call_id: answers } = message as Partial<AIMessage & ToolMessage>;
  const content = contentBlocks(message).filter((block) => !isReasoningBlock(block));
  return JSON.stringify([message.getType(), content, calls, answers]);
}

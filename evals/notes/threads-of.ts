import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ScopeMemory } from "@palimpsest/langgraph";
import type { ScopeMemoryOptions } from "@palimpsest/langgraph/types";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Dialogue, Turn } from "../data/dialogue.js";
import { messagesOf } from "../locomo/product-rankings.js";

/** One session of a conversation. */
export interface Session {
  readonly threadId: string;
  readonly turns: readonly Turn[];
}

/** Splits a conversation into its sessions, oldest first. */
export function sessionsOf({ turns }: Dialogue): readonly Session[] {
  const sessions = new Map<string, Turn[]>();
  for (const turn of turns) {
    const name = turn.session ?? turn.id.split(":")[0] ?? "";
    sessions.set(name, [...(sessions.get(name) ?? []), turn]);
  }
  return [...sessions].map(([name, own]) => ({ threadId: `session ${name}`, turns: own }));
}

export const scope = "user";
const day = 86_400_000;

/** Returns a memory in which each session of a conversation is a thread, recorded a day after the one before. */
export async function remember(
  dialogue: Dialogue,
  options: Partial<ScopeMemoryOptions> = {},
): Promise<{ readonly memory: ScopeMemory; readonly files: VirtualFilesystem }> {
  const files = VirtualFilesystem.inMemory();
  const memory = new ScopeMemory({ files, scope: () => scope, ...options });
  const first = dialogue.turns[0]?.speaker;
  for (const [at, { threadId, turns }] of sessionsOf(dialogue).entries())
    await memory.record({ scope, threadId, at: new Date(day * (at + 1)) }, closed(messagesOf(turns, first)));
  await memory.consolidate(scope);
  return { memory, files };
}

/** A turn is recorded when the agent has replied: a session that ends with the user gets an empty reply. */
function closed(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.at(-1)?.getType() === "human"
    ? [...messages, new AIMessage({ id: "end", content: "" })]
    : messages;
}

import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { readThread } from "@palimpsest/langgraph/threads";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { threadConfig } from "./hosts.js";

/** What of a thread comes back from a context. */
export interface CameBack {
  /** Bytes of messages that are missing or have another text. */
  readonly lostBytes: number;
  /** True for the same messages in the same order. Answers that end a turn are not counted. */
  readonly isSame: boolean;
}

/** Reads the thread from a context and compares it with what happened. */
export async function cameBack(
  context: readonly BaseMessage[],
  happened: readonly BaseMessage[],
  files: VirtualFilesystem,
): Promise<CameBack> {
  const graph = { getState: async () => ({ values: { messages: context } }) };
  const thread = await readThread(graph, threadConfig, { files });
  const read = thread.filter(({ id }) => id?.startsWith("done-") !== true);
  const texts = new Map(read.map((message) => [keyOf(message), message.text]));
  const lost = happened.filter((message) => texts.get(keyOf(message)) !== message.text);
  return {
    lostBytes: lost.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    isSame: JSON.stringify(read.map(keyOf)) === JSON.stringify(happened.map(keyOf)),
  };
}

function keyOf(message: BaseMessage): string {
  return (message as Partial<ToolMessage>).tool_call_id ?? message.id ?? "";
}

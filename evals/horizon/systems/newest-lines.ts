import type { BaseMessage } from "@langchain/core/messages";

const keptLines = 40;
const lineCharacters = 160;

/** Returns a summary that needs no model: the newest lines of the messages, clipped. Pure. */
export function newestLines(messages: readonly BaseMessage[]): string {
  const lines = messages.flatMap(({ text }) => text.split("\n")).filter((line) => line.trim() !== "");
  const kept = lines.slice(-keptLines).map((line) => `- ${line.slice(0, lineCharacters)}`);
  return ["## Work so far", ...kept].join("\n");
}

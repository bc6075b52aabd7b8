import type { BaseMessage } from "@langchain/core/messages";

const keptLines = 40;
const lineCharacters = 160;

/**
 * Returns a summary that needs no model: the newest lines of the conversation in a prompt, clipped, under the heading for
 * facts that the prompt asks for. Pure.
 */
export function newestLines(prompt: readonly BaseMessage[]): string {
  const texts = prompt.map(({ text }) => text);
  const heading = texts.some((text) => /^## Findings$/m.test(text)) ? "## Findings" : "## Work so far";
  const conversation = texts.flatMap(
    (text) => /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(text)?.[1] ?? [],
  );
  const shown = conversation.length > 0 ? conversation : texts;
  const lines = shown.flatMap((text) => text.split("\n")).filter((line) => line.trim() !== "");
  const kept = lines.slice(-keptLines).map((line) => `- ${line.slice(0, lineCharacters)}`);
  return [heading, ...kept].join("\n");
}

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ContextOptions } from "@palimpsest/langgraph";

/** Lines that the scripted model takes over from what it is shown. */
const mostLines = 8;

/**
 * Returns a stand-in for a summary model: it writes a record in the form that it is asked for, out of a few lines of what
 * it was shown, and forgets the rest. No model runs; what it writes is no measure of any model.
 */
export function scriptedSummarizer(): NonNullable<ContextOptions["model"]> {
  return {
    invoke: (prompt: BaseMessage[]) => Promise.resolve(new AIMessage(recordOf(prompt.at(-1)?.text ?? ""))),
  };
}

function recordOf(shown: string): string {
  const conversation = /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(shown)?.[1] ?? "";
  const lines = conversation.split("\n").filter((line) => /\d/.test(line) && !line.startsWith("#"));
  const every = Math.max(1, Math.floor(lines.length / mostLines));
  const facts = lines.filter((_, at) => at % every === 0).slice(0, mostLines);
  const written = facts.map((line) => `- Learned: ${line.trim().slice(0, 160)}`);
  return `## Findings\n${written.join("\n")}\n## Next steps\n- Go on from here`;
}

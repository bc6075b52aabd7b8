import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import type { ScriptedReply } from "@palimpsest/provider-doubles";

/** What an agent is asked to do, as a script: what its user says, and what its model answers. */
export interface Work {
  readonly name: string;
  readonly systemPrompt: string;
  readonly turns: readonly WorkTurn[];
  /** Answers a call of a tool. */
  readonly answer: (name: string, args: Readonly<Record<string, unknown>>) => string;
}

export interface WorkTurn {
  readonly user: string;
  /** Replies of the model in order; the last one has no calls. */
  readonly replies: readonly ScriptedReply[];
}

/** Returns the tools of a work. They take any arguments. */
export function toolsOf({ turns, answer }: Work): readonly DynamicStructuredTool[] {
  const calls = turns.flatMap(({ replies }) => replies.flatMap((reply) => reply.calls ?? []));
  return [...new Set(calls.map(({ name }) => name))].map(
    (name) =>
      tool((args: Record<string, unknown>) => answer(name, args), {
        name,
        description: `Does ${name.replaceAll("_", " ")}.`,
        schema: { type: "object", properties: {}, additionalProperties: true },
      }) as DynamicStructuredTool,
  );
}

/** Returns the work of an agent that reads a page of 6,000 characters a step, and thinks before each. */
export function pages(steps: number): Work {
  const reading = Array.from({ length: steps }, (_, index) => ({
    thinking: `Page ${index + 1} is next, because the pages before it are read.`,
    text: `Reading page ${index + 1}.`,
    calls: [{ name: "read_page", args: { page: index + 1 } }],
  }));
  const last = { thinking: "No page is left.", text: "All pages are read." };
  return {
    name: "pages",
    systemPrompt: "You read a book page by page.",
    turns: [{ user: "Read all pages. Never skip one. Say when you are done.", replies: [...reading, last] }],
    answer: (_, { page }) =>
      Array.from(
        { length: 120 },
        (__, line) => `${Number(page)}.${line}: the value of this line is ${line * 7_919}`,
      ).join("\n"),
  };
}

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
    answer: (_, { page }) => linesOf(`${Number(page)}`, 120),
  };
}

/**
 * Returns a work like the job of the demo: an audit of packages, each with a search, two files read at once and a note. A
 * result has 1 to 30 KB; every ninth package has one of 120 KB, which is offloaded.
 */
export function audit(packages: number): Work {
  const replies = Array.from({ length: packages }, (_, at) => auditOf(at)).flat();
  const last = { thinking: "Every package has its note.", text: "The report is written." };
  return {
    name: "audit",
    systemPrompt: "You audit packages.",
    turns: [{ user: "Audit all packages, and write a report.", replies: [...replies, last] }],
    answer(name, { file, text }) {
      if (text !== undefined) return "Written.";
      const number = Number(file);
      return linesOf(`${name} ${number}`, number % 18 === 4 ? 2_400 : 20 + ((37 * number ** 2) % 580));
    },
  };
}

function auditOf(at: number): readonly ScriptedReply[] {
  return [
    {
      thinking: `Package ${at} comes next. Its symbol may be defined anywhere, so a search comes first.`,
      text: `Searching package ${at}.`,
      calls: [{ name: "search_code", args: { file: at, pattern: "export" } }],
    },
    {
      thinking: `Two files of package ${at} define it: both are needed.`,
      calls: [readSource(2 * at), readSource(2 * at + 1)],
    },
    {
      thinking: `The answer for package ${at} is clear.`,
      text: "Noting it.",
      calls: [{ name: "write_note", args: { text: linesOf(`Note ${at}`, 30) } }],
    },
  ];
}

function readSource(file: number) {
  return { name: "read_source", args: { file } };
}

function linesOf(name: string, count: number): string {
  const line = (_: unknown, index: number) => `${name}.${index}: the value of this line is ${index * 7_919}`;
  return Array.from({ length: count }, line).join("\n");
}

import type { AIMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { call, script, type Step } from "./script.js";
import type { World } from "./world.js";

/**
 * Returns lines each of which occurs nowhere else, about `width` characters long.
 *
 * @param tag letters and digits that no other rows of the world have
 */
export function rows(tag: string, count: number, width = 60): readonly string[] {
  return Array.from({ length: count }, (_, row) =>
    `${tag}#${row}; the value is ${(row + 1) * 7919} of ${tag.length} `.padEnd(width, "."),
  );
}

/** Returns a tool that answers `{ page }` with a text. */
export function textTool(name: string, read: (page: number) => string): DynamicStructuredTool {
  const schema = z.object({ page: z.number() });
  const definition = { name, description: `Reads a page of ${name}.`, schema };
  return tool(({ page }) => read(page), definition) as DynamicStructuredTool;
}

/** Returns a tool that answers with the lines of a page, and texts that are lost when the agent cannot reach them. */
export function pagesTool(name: string, pages: readonly (readonly string[])[]) {
  return {
    tools: [textTool(name, (page) => (pages[page] ?? []).join("\n"))],
    originals: pages.flat(),
    shown: pages.map(([head = ""]) => head),
  };
}

/** Returns a world in which the agent reads these lines at once, and then takes further steps. */
export function oneResult(name: string, lines: readonly string[], ...further: readonly Step[]): World {
  return { ...pagesTool(name, [lines]), reply: script(call(name, { page: 0 }), ...further) };
}

export interface LongWorkOptions {
  /** Calls of a tool, one a step. */
  readonly steps: number;
  /** Rows of each result, 60 characters each. @default 50 */
  readonly size?: number;
}

/** Returns a tool, the steps of an agent that reads all of it page by page, and what it reads. */
export function longWork({ steps, size = 50 }: LongWorkOptions) {
  const pages = Array.from({ length: steps }, (_, page) => rows(`book${page}`, size));
  return { ...pagesTool("book", pages), steps: pages.map((_, page): AIMessage => call("book", { page })) };
}

/** Returns a world in which the agent does a long work and nothing else. */
export function longWorld(
  options: LongWorkOptions,
  limits: Pick<World, "window" | "limit" | "scale" | "storage">,
): World {
  const { steps, ...work } = longWork(options);
  return { ...work, reply: script(...steps), ...limits };
}

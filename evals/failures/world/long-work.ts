import type { AIMessage } from "@langchain/core/messages";
import { rows } from "./rows.js";
import { call, script } from "./script.js";
import { textTool } from "./text-tool.js";
import type { World } from "./world.js";

export interface LongWorkOptions {
  /** Calls of a tool, one a step. */
  readonly steps: number;
  /** Rows of each result, 60 characters each. @default 50 */
  readonly size?: number;
  /** @default "book" */
  readonly name?: string;
}

/** Returns a tool, the steps of an agent that reads all of it page by page, and what it reads. */
export function longWork({ steps, size = 50, name = "book" }: LongWorkOptions) {
  const pages = Array.from({ length: steps }, (_, page) => rows(`${name}${page}`, size));
  return {
    tools: [textTool(name, (page) => (pages[page] ?? []).join("\n"))],
    steps: pages.map((_, page): AIMessage => call(name, { page })),
    originals: pages.flat(),
    shown: pages.map(([head = ""]) => head),
  };
}

/** Returns a world in which the agent does a long work and nothing else. */
export function longWorld(
  options: LongWorkOptions,
  limits: Pick<World, "window" | "limit" | "scale" | "storage">,
): World {
  const { steps, ...work } = longWork(options);
  return { ...work, reply: script(...steps), ...limits };
}

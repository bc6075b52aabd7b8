import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { randomFrom } from "../../data/random-from.js";
import { act, shown } from "../acts.js";
import type { TargetedTask } from "../task.js";

/** How large a ledger is, and when it is compacted. */
export interface Ledger {
  readonly window: number;
  readonly pages: number;
  readonly trigger?: number;
}

/** Returns a task whose agent reads a ledger page by page; a trigger is a part of its name. */
export function ledgerTask(
  { window, pages, trigger }: Ledger,
  { name, ...task }: Omit<TargetedTask, "window" | "tools">,
): TargetedTask {
  const shared = { window, tools: () => [readPageTool(pages)], ...task };
  if (trigger === undefined) return { name, ...shared };
  return { name: `${name}, trigger at ${Math.round(trigger * 100)} %`, trigger, ...shared };
}

export const needle = { name: "depot-k7f3q2", answer: "x41-hq9" } as const;

/** Returns the tool that reads a ledger, page by page, about 1,200 tokens each. The third page holds the needle. */
function readPageTool(pages: number): DynamicStructuredTool {
  return tool(
    ({ page }) => (page > pages || page < 1 ? `There is no page ${page}.` : pageText(page, pages)),
    {
      name: "read_page",
      description: "Reads one page of the ledger.",
      schema: z.object({ page: z.number().int() }),
    },
  ) as DynamicStructuredTool;
}

function pageText(page: number, pages: number): string {
  const random = randomFrom(page);
  const lines = Array.from({ length: 80 }, (_, line) => {
    const name = `depot-${Math.floor(random() * 36 ** 6).toString(36)}`;
    return `${page}.${line} ${name} holds ${Math.floor(random() * 9_000)} crates of batch ${Math.floor(random() * 90_000)}.`;
  });
  if (page === 3) lines.splice(40, 0, `${page}.x ${needle.name} opens with the code ${needle.answer}.`);
  return [`Page ${page} of ${pages}`, ...lines].join("\n");
}

/** Returns the call that reads on from the newest page in the prompt; undefined when the last one is there. Pure. */
export function readOn(prompt: readonly BaseMessage[], pages: number): AIMessage | undefined {
  const seen = [...shown(prompt).matchAll(/Page (\d+) of \d+/g)].map(([, page]) => Number(page));
  const next = Math.max(0, ...seen) + 1;
  return next > pages ? undefined : act(prompt, "read_page", { page: next });
}

import { AIMessage } from "@langchain/core/messages";
import { lookUp, shown } from "../acts.js";
import type { TargetedTask } from "../task.js";
import { readOn, readPageTool } from "./reading.js";

export interface ForcedOptions {
  readonly window: number;
  readonly pages: number;
  readonly trigger?: number;
}

const goal = "LEDGER heron-42:";

/** A summary comes in the middle of a task; the goal has to survive it, word for word. */
export function goalKept({ window, pages, trigger }: ForcedOptions): TargetedTask {
  return {
    name: `goal kept through a summary${at(trigger)}`,
    law: "After a summary in the middle of the task the agent still does what was asked, in the form that was asked for.",
    window,
    ...(trigger === undefined ? {} : { trigger }),
    turns: [
      `Read all ${pages} pages of the ledger with read_page, one after the other. When you have read the last one, answer with one line: the words "${goal}" and then the number of the last page. Never leave out a page.`,
    ],
    tools: () => [readPageTool(pages)],
    script(prompt, vocabulary) {
      const next = readOn(prompt, pages);
      if (next !== undefined) return next;
      if (shown(prompt).includes(goal)) return new AIMessage(`${goal} ${pages}`);
      return lookUp(prompt, "LEDGER", vocabulary) ?? new AIMessage("What was it that I had to answer?");
    },
    check({ answers, compactions, calls }) {
      const kept =
        answers.at(-1)?.includes(goal) === true && answers.at(-1)?.includes(String(pages)) === true;
      const read = calls.filter(({ name }) => name === "read_page").length;
      const searched = calls.some(({ name }) => name === "grep");
      return {
        passed: kept && compactions > 0,
        detail: `${compactions} compactions; goal ${kept ? (searched ? "found by search" : "in the prompt") : "lost"}; ${read} reads of ${pages} pages`,
      };
    },
    judge: `Did the agent do what was asked: read ${pages} pages and answer with "${goal}" and the number of the last page?`,
  };
}

/** Returns the trigger as a part of a name. Pure. */
export function at(trigger: number | undefined): string {
  return trigger === undefined ? "" : `, trigger at ${Math.round(trigger * 100)} %`;
}

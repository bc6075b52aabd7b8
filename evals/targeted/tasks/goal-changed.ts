import { AIMessage } from "@langchain/core/messages";
import { lookUp, shown } from "../acts.js";
import type { TargetedTask } from "../task.js";
import { at, type ForcedOptions } from "./goal-kept.js";
import { readOn, readPageTool } from "./reading.js";

const first = "LEDGER heron-42:";
const second = "ROSTER crane-17:";

/**
 * The goal changes in mid-run, the user speaks once more, and summaries come after both: the agent has to end in the form
 * that was asked for last, not first.
 */
export function goalChanged({ window, pages, trigger }: ForcedOptions): TargetedTask {
  const half = Math.floor(pages / 2);
  return {
    name: `goal changed in mid-run, kept through summaries${at(trigger)}`,
    law: "After a summary the agent does what was asked last, also when that was neither the first nor the newest message.",
    window,
    ...(trigger === undefined ? {} : { trigger }),
    turns: [
      `Read pages 1 to ${half - 2} of the ledger with read_page, one after the other. At the very end of the work you will answer with one line: the words "${first}" and then the number of the last page. For now say that you are done.`,
      `Change of plan: the line at the very end opens with the words "${second}" instead, then the number of the last page. Read on to page ${half}, then say that you are done.`,
      `Thanks. Now read the rest, to page ${pages}. Then answer as I asked you to.`,
    ],
    tools: () => [readPageTool(pages)],
    script(prompt, vocabulary) {
      // Where no message of the user is left in sight, the agent goes on to the end, as it does in the other task.
      const asked = prompt.findLast(({ id }) => id?.startsWith("turn-"))?.id ?? "turn-2";
      const turn = Number(asked.slice("turn-".length));
      const next = readOn(prompt, [half - 2, half, pages][turn] ?? pages);
      if (next !== undefined) return next;
      if (turn < 2) return new AIMessage("Done.");
      if (shown(prompt).includes(second)) return new AIMessage(`${second} ${pages}`);
      const searched = lookUp(prompt, "ROSTER", vocabulary);
      if (searched !== undefined) return searched;
      return new AIMessage(
        shown(prompt).includes(first) ? `${first} ${pages}` : "What was it that I had to answer?",
      );
    },
    check({ answers, compactions, calls }) {
      const answer = answers.at(-1) ?? "";
      const kept = answer.includes(second) && answer.includes(String(pages));
      const searched = calls.some(({ name }) => name === "grep");
      const state = kept
        ? searched
          ? "found by search"
          : "in the prompt"
        : answer.includes(first)
          ? "the earlier one"
          : "lost";
      const read = calls.filter(({ name }) => name === "read_page").length;
      return {
        passed: kept && compactions > 0,
        detail: `${compactions} compactions; goal ${state}; ${read} reads of ${pages} pages`,
      };
    },
    judge: `The user first asked for a last line that opens with "${first}" and later for one that opens with "${second}". Is the last answer one line that opens with "${second}" and names page ${pages}?`,
  };
}

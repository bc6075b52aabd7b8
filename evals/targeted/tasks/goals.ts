import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { lookUp, shown } from "../acts.js";
import type { Check, Outcome, TargetedTask, Vocabulary } from "../task.js";
import { ledgerTask, readOn, type Ledger } from "./ledger.js";

/** What an answer has to open with. */
interface Goal {
  readonly wanted: string;
  /** What was asked for before that. */
  readonly earlier?: string;
  readonly pages: number;
}

const ledgerLine = "LEDGER heron-42:";
const rosterLine = "ROSTER crane-17:";

/** A summary comes in the middle of a task; the goal has to survive it, word for word. */
export function goalKept(ledger: Ledger): TargetedTask {
  const { pages } = ledger;
  const goal = { wanted: ledgerLine, pages };
  return ledgerTask(ledger, {
    name: "goal kept through a summary",
    turns: [
      `Read all ${pages} pages of the ledger with read_page, one after the other. When you have read the last one, answer with one line: the words "${ledgerLine}" and then the number of the last page. Never leave out a page.`,
    ],
    script: (prompt, vocabulary) => readOn(prompt, pages) ?? answer(prompt, goal, vocabulary),
    check: (outcome) => checkOf(outcome, goal),
    judge: `Did the agent do what was asked: read ${pages} pages and answer with "${ledgerLine}" and the number of the last page?`,
  });
}

/**
 * The goal changes in mid-run, the user speaks once more, and summaries come after both: the agent has to end in the form
 * that was asked for last, not first, and that was neither the first nor the newest message.
 */
export function goalChanged(ledger: Ledger): TargetedTask {
  const { pages } = ledger;
  const half = Math.floor(pages / 2);
  const goal = { wanted: rosterLine, earlier: ledgerLine, pages };
  return ledgerTask(ledger, {
    name: "goal changed in mid-run, kept through summaries",
    turns: [
      `Read pages 1 to ${half - 2} of the ledger with read_page, one after the other. At the very end of the work you will answer with one line: the words "${ledgerLine}" and then the number of the last page. For now say that you are done.`,
      `Change of plan: the line at the very end opens with the words "${rosterLine}" instead, then the number of the last page. Read on to page ${half}, then say that you are done.`,
      `Thanks. Now read the rest, to page ${pages}. Then answer as I asked you to.`,
    ],
    script(prompt, vocabulary) {
      // Where no message of the user is left in sight, the agent goes on to the end, as it does in the other task.
      const asked = prompt.findLast(({ id }) => id?.startsWith("turn-"))?.id ?? "turn-2";
      const turn = Number(asked.slice("turn-".length));
      const next = readOn(prompt, [half - 2, half, pages][turn] ?? pages);
      return next ?? (turn < 2 ? new AIMessage("Done.") : answer(prompt, goal, vocabulary));
    },
    check: (outcome) => checkOf(outcome, goal),
    judge: `The user first asked for a last line that opens with "${ledgerLine}" and later for one that opens with "${rosterLine}". Is the last answer one line that opens with "${rosterLine}" and names page ${pages}?`,
  });
}

/** Answers in the form that is in sight, or looks for it. */
function answer(prompt: readonly BaseMessage[], goal: Goal, vocabulary: Vocabulary): AIMessage {
  const { wanted, earlier, pages } = goal;
  const text = shown(prompt);
  if (text.includes(wanted)) return new AIMessage(`${wanted} ${pages}`);
  const searched = lookUp(prompt, wanted.slice(0, wanted.indexOf(" ")), vocabulary);
  if (searched !== undefined) return searched;
  const isEarlier = earlier !== undefined && text.includes(earlier);
  return new AIMessage(isEarlier ? `${earlier} ${pages}` : "What was it that I had to answer?");
}

function checkOf({ answers, log }: Outcome, { wanted, earlier, pages }: Goal): Check {
  const last = answers.at(-1) ?? "";
  const kept = last.includes(wanted) && last.includes(String(pages));
  const lost = earlier !== undefined && last.includes(earlier) ? "the earlier one" : "lost";
  const state = log.calls.includes("grep") ? "found by search" : "in the prompt";
  const read = log.calls.filter((name) => name === "read_page").length;
  return {
    passed: kept && log.compactions > 0,
    detail: `${log.compactions} compactions; goal ${kept ? state : lost}; ${read} reads of ${pages} pages`,
  };
}

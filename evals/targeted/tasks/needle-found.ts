import { AIMessage } from "@langchain/core/messages";
import { lookUp, shown } from "../acts.js";
import type { TargetedTask } from "../task.js";
import { ledgerTask, needle, readOn, type Ledger } from "./ledger.js";

/** A needle comes early and is folded away; asked for at the end, it has to be found again with the agent's tools. */
export function needleFound(ledger: Ledger): TargetedTask {
  const { pages } = ledger;
  return ledgerTask(ledger, {
    name: "needle found again",
    turns: [
      `Read all ${pages} pages of the ledger with read_page, one after the other, then say that you are done.`,
      `What code does ${needle.name} open with? Do not read a page again: search what you were shown before.`,
    ],
    script(prompt, vocabulary) {
      const asked = shown(prompt).includes("What code does");
      if (!asked) return readOn(prompt, pages) ?? new AIMessage("Done.");
      const [, code] = new RegExp(`${needle.name} opens with the code ([\\w-]+)`).exec(shown(prompt)) ?? [];
      if (code !== undefined) return new AIMessage(`The code is ${code}.`);
      return lookUp(prompt, needle.name, vocabulary) ?? new AIMessage("I cannot find it any more.");
    },
    check({ answers, log: { compactions, calls } }) {
      const found = answers.at(-1)?.includes(needle.answer) === true;
      const again = calls.slice(pages).filter((name) => name === "read_page").length;
      const searches = calls.filter((name) => name === "grep" || name === "read_file").length;
      const way = searches > 0 ? `found with ${searches} look-ups` : "still in the prompt";
      return {
        passed: found && compactions > 0,
        detail: `${compactions} compactions; ${found ? way : `not found after ${searches} look-ups`}${again > 0 ? `; ${again} pages read again` : ""}`,
      };
    },
  });
}

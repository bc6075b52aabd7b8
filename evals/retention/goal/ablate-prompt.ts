import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { isSummary, summaryHeadings } from "@palimpsest/context/internal";
import { summaryPrompt, type ContextOptions } from "@palimpsest/langgraph";
import { charsOverFour, textOf } from "../../data/text-of.js";
import { mean } from "../../metrics/quantile.js";
import { foldRun, type FoldedContext } from "../fold-run.js";
import { nextAt, type GoalRun } from "./goal-runs.js";

type Section = "intent" | "nextSteps";

/** The summary prompt with and without two of its sections. */
export const promptVariants: readonly { readonly name: string; readonly without: readonly Section[] }[] = [
  { name: "as shipped", without: [] },
  { name: "without intent", without: ["intent"] },
  { name: "without next steps", without: ["nextSteps"] },
  { name: "without both", without: ["intent", "nextSteps"] },
];

/** Returns the shipped summary prompt without some of its sections. @throws Error when it has no such section */
export function promptWithout(sections: readonly Section[]): string {
  return sections.reduce((prompt, section) => {
    const shorter = prompt.replace(new RegExp(`^## ${summaryHeadings[section]}\\n(?!##).*\\n`, "m"), "");
    if (shorter === prompt) throw new Error(`The summary prompt has no section ${summaryHeadings[section]}`);
    return shorter;
  }, summaryPrompt);
}

const written: Readonly<Record<Section, RegExp>> = {
  intent: /\b(?:Survey every host|From now on list each host)[^.]*\./g,
  nextSteps: /the next step is [\w-]+\./g,
};

/**
 * Returns a stand-in for a summary model that follows its prompt: for each section that it is asked for it writes the
 * newest sentence of the conversation that belongs there, and for the others nothing.
 */
export function obedientSummarizer(): NonNullable<ContextOptions["model"]> {
  return {
    invoke(prompt: BaseMessage[]) {
      const asked = prompt.slice(0, -1).map(textOf).join("\n");
      const conversation = textOf(prompt.at(-1)!);
      const sections = (Object.keys(written) as Section[]).flatMap((section) => {
        const newest = conversation.match(written[section])?.at(-1);
        const heading = `## ${summaryHeadings[section]}`;
        return asked.includes(heading) && newest !== undefined ? [`${heading}\n- ${newest}`] : [];
      });
      const findings = `## ${summaryHeadings.findings}\n- The hosts so far were read.`;
      return Promise.resolve(new AIMessage([findings, ...sections].join("\n")));
    },
  };
}

/** What is in the context after compactions with one variant of the prompt. Shares are of the compactions. */
export interface Ablated {
  readonly summary: string;
  readonly variant: string;
  readonly compactions: number;
  /** The goal is in the context: in the user's words, or in the summary. */
  readonly goal: number;
  /** It is in the summary. */
  readonly goalInSummary: number;
  /** What the agent said it will do next is in the context. */
  readonly next: number;
  /** Mean size of the summary, in tokens of four characters. */
  readonly tokens: number;
}

export interface AblateOptions {
  readonly summary: string;
  readonly model: () => NonNullable<ContextOptions["model"]>;
  readonly contextWindow: number;
  /** Compactions of a run that are looked at. */
  readonly compactions: number;
}

/** Returns what the context holds after each of the first compactions, for one variant of the prompt. */
export async function ablatePrompt(
  runs: readonly GoalRun[],
  { name, without }: (typeof promptVariants)[number],
  { summary, model, contextWindow, compactions }: AblateOptions,
): Promise<Ablated> {
  const seen: ReturnType<typeof seenOf>[] = [];
  for (const run of runs) {
    await foldRun(run, {
      contextWindow,
      model: model(),
      summaryPrompt: promptWithout(without),
      marks: Array.from({ length: compactions }, (_, at) => at + 1),
      look: (folded) => void seen.push(seenOf(run, folded)),
    });
  }
  if (seen.length === 0) throw new Error(`No run was compacted in a window of ${contextWindow} tokens`);
  const meanOf = (field: keyof (typeof seen)[number]) => mean(seen.map((one) => Number(one[field])));
  return {
    summary,
    variant: name,
    compactions: seen.length,
    goal: meanOf("goal"),
    goalInSummary: meanOf("goalInSummary"),
    next: meanOf("next"),
    tokens: meanOf("tokens"),
  };
}

function seenOf({ goal, earlier }: GoalRun, { thread, context }: FoldedContext) {
  const text = context.map(textOf).join("\n");
  const summaries = context.filter(isSummary);
  const steps = thread.filter((message) => message.getType() === "ai").length;
  // Before the goal changes the earlier one counts.
  const isGiven = thread.some(({ id }) => id === goal.id);
  const code = isGiven ? goal.code : (earlier ?? goal.code);
  return {
    goal: text.includes(code),
    goalInSummary: summaries.map(textOf).join("\n").includes(code),
    next: text.includes(nextAt(steps - 1)),
    tokens: charsOverFour(summaries),
  };
}

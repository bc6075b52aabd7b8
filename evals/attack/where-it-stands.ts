import type { BaseMessage } from "@langchain/core/messages";
import { blocksOf, blockLine } from "@palimpsest/context/folding";
import { isSummary } from "@palimpsest/context/internal";
import { textOf } from "../data/text-of.js";

/** What became of a hostile line in the stand-ins, which are messages of the user's role. */
export type Standing = "as an instruction" | "quoted" | "not there";

/** What was seen of a hostile line. */
export interface Seen {
  readonly standing: Standing;
  /** Tags and tokens of prompts in the stand-ins. */
  readonly markup: number;
}

const order: readonly Standing[] = ["not there", "quoted", "as an instruction"];

/** Returns what is seen of a line in contexts, the worst of each. */
export function seenIn(line: string, contexts: readonly (readonly BaseMessage[])[]): Seen {
  const standings = contexts.map((context) => order.indexOf(whereItStands(line, context)));
  return {
    standing: order[Math.max(0, ...standings)] ?? "not there",
    markup: Math.max(0, ...contexts.map(rawMarkup)),
  };
}

/** Characters of the comparison: enough to tell the lines apart, few enough to find a clipped one. */
const enough = 24;

/** Returns where a line stands in the stand-ins of a context; the worst place counts. */
function whereItStands(line: string, context: readonly BaseMessage[]): Standing {
  const shown = linesOf(context);
  // Outside the quotation marks first: what is left of a line without its quotations is read as ours.
  const bare = shown.map((one) => one.replace(/“[^“”]*”/g, " ")).join("\n");
  if (holds(bare, line)) return "as an instruction";
  return holds(shown.join("\n"), line) ? "quoted" : "not there";
}

function linesOf(context: readonly BaseMessage[]): readonly string[] {
  // The first two lines are ours: the notice and the path, which a hostile line may repeat.
  const summaries = context.filter(isSummary).flatMap((message) => textOf(message).split("\n").slice(2));
  return [...summaries, ...blocksOf(context).flatMap((block) => blockLine(block).split("\n"))];
}

function holds(text: string, line: string): boolean {
  const [own, all] = [lettersOf(line), lettersOf(text)];
  for (let at = 0; at + enough <= own.length; at += enough / 2) {
    if (all.includes(own.slice(at, at + enough))) return true;
  }
  return own.length < enough && all.includes(own);
}

/** Letters and digits alone: another mark or space between them hides nothing. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Tags and tokens of prompts that stand in a stand-in as they came. */
function rawMarkup(context: readonly BaseMessage[]): number {
  const text = linesOf(context).join("\n");
  return text.match(/<\/?(?:conversation|system-reminder)>|<\|im_\w+\|>|\[\/?INST\]/g)?.length ?? 0;
}

import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { SummaryMeter } from "../cost/summary-meter.js";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import { charsOverFour, textOf } from "../data/text-of.js";
import type { Case } from "./made-case.js";
import { answerFrom, type Reading } from "./reader.js";
import { driftResistance, scoreCycle } from "./score.js";
import type { CompactingSystem } from "./systems.js";
import { pick } from "../data/pick.js";

/** The default of CompactBench: two further cycles after the first one. */
export const cycles = 3;

/** New text of a cycle, as a share of the window: more than fits, so that everybody has to compact. */
const shareOfCycle = 1.25;

const continuations: readonly string[] = [
  "What shall we do next?",
  "What matters most, after all that we talked about?",
  "Is there anything that I overlook?",
  "What could go wrong?",
  "What comes before we go on?",
];

/** A case as a system played it. */
export interface PlayedCase {
  readonly system: string;
  readonly case: Case;
  /** By cycle, from 0 to 1. */
  readonly scores: readonly number[];
  /** The same for a reader to whom the last mention of a sentence is the newest, even where a record repeats it. */
  readonly byLastMention: readonly number[];
  /** What the later cycles retain of the first one's score. */
  readonly drift: number;
  /** Prompts over the window. */
  readonly unfit: number;
  readonly prompts: number;
  /** Tokens of four characters at the end. */
  readonly threadTokens: number;
  readonly contextTokens: number;
}

/**
 * Plays a case: its turns, then an agent at work that reads more than the window holds, in each cycle again. A cycle ends
 * with a question of the user: some systems fold their talk only then. From the context of that call alone, the reader
 * answers the items.
 */
export async function playCase(one: Case, system: CompactingSystem, window: number): Promise<PlayedCase> {
  const run = system.start({ budget: window, seed: one.seed, meter: new SummaryMeter() });
  const random = randomFrom(one.seed);
  const thread: BaseMessage[] = [];
  const scores: number[] = [];
  const byLastMention: number[] = [];
  let context: readonly BaseMessage[] = [];
  let [unfit, prompts] = [0, 0];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const asked = pick(continuations, random);
    const question = new HumanMessage({ id: `more${cycle}`, content: asked });
    const talk = cycle === 0 ? one.turns : [];
    for (const added of callsOf([...talk, ...workOf(cycle, window, random), question])) {
      thread.push(...added);
      context = await run.context(added, { chunk: prompts, needed: [] });
      prompts += 1;
      if (charsOverFour(context) > window) unfit += 1;
    }
    scores.push(scoreOf(one, context, "first mention"));
    byLastMention.push(scoreOf(one, context, "last mention"));
  }
  return {
    system: system.name,
    case: one,
    scores,
    byLastMention,
    drift: driftResistance(scores),
    unfit,
    prompts,
    threadTokens: charsOverFour(thread),
    contextTokens: charsOverFour(context),
  };
}

function scoreOf({ items, forbidden }: Case, context: readonly BaseMessage[], reading: Reading): number {
  const text = context.map(textOf).join("\n");
  const answers = items.map(({ asked }) => answerFrom(text, asked, reading));
  return scoreCycle(items, answers, forbidden);
}

/** Returns the messages that each call of the model adds: up to the next message of the assistant. */
function callsOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const calls: BaseMessage[][] = [[]];
  for (const message of messages) {
    if (message.getType() === "ai" && calls.at(-1)?.length !== 0) calls.push([]);
    calls.at(-1)?.push(message);
  }
  return calls;
}

/** Returns the steps of an agent that reads rows, which say nothing about the case. */
function workOf(cycle: number, window: number, random: () => number): readonly BaseMessage[] {
  const work: BaseMessage[] = [];
  for (let step = 0; charsOverFour(work) < shareOfCycle * window; step++) {
    const id = `${cycle}-${step}`;
    const rows = Array.from({ length: 32 }, (_, at) => {
      const [count, sum] = [random(), random()].map((value) => Math.floor(100_000 * value));
      return `row ${id}-${at}: ${count} pieces, ${sum} in total, no remarks in this one`;
    });
    const call = { callId: `c${id}`, said: `I read part ${step}.`, name: "read_rows", args: { part: id } };
    work.push(...madeStep({ id, ...call, result: rows.join("\n") }));
  }
  return work;
}

import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { addedIllegalities } from "@palimpsest/context/testing";
import type { CompactingSystem } from "../compactbench/systems.js";
import { wholeBill } from "../cost/cost-row.js";
import { prefixOf } from "../cost/prefix.js";
import { SummaryMeter } from "../cost/summary-meter.js";
import { charsOverFour, textOf } from "../data/text-of.js";
import { isIn } from "../metrics/is-in.js";
import { billedPrices } from "../policies/palimpsest-planned.js";
import type { PolicyRun } from "../policies/policy.js";
import type { Corpus } from "./corpus.js";
import { evaluatePlan } from "./evaluate-plan.js";
import { grepAnswer, grepFor, type Wanted } from "./grep.js";
import { isRight, type PlannedQuestion } from "./questions.js";
import { Missing, promptSource } from "./sources.js";

/** Patterns of one call: a page of records, that no system moves to a file when it arrives. */
const patternsOfCall = 8;
/** An agent gives a question up after so many times the calls that it takes from nothing. */
const patience = 4;

/** What a question needs when nothing is known. */
export interface Demand {
  readonly calls: number;
  /** Tokens, of four characters, of the answers that have to be in sight together. */
  readonly tokens: number;
}

/** What is added up over the prompts of a question. Bills are in tokens of input, as in `cost`; tokens are of four characters. */
export const nothing = {
  calls: 0,
  /** Calls that ask for something that an earlier call of the thread had returned. */
  callsAgain: 0,
  tokensAgain: 0,
  bill: 0,
  prompts: 0,
  /** Prompts over the window. */
  unfit: 0,
  /** Rules of providers that a prompt of ours broke, and the thread did not. */
  illegal: 0,
  /** Prompts without the question in them. The agent knows it all the same. */
  withoutQuestion: 0,
  /** Prompts that are shorter than the one before, and their tokens. */
  shorter: 0,
  tokensOfShorter: 0,
};
export type Sums = { -readonly [Name in keyof typeof nothing]: number };

/** What came of a question on a system. */
export interface PlayedQuestion {
  readonly kind: string;
  readonly isRight: boolean;
  /** Its records take at most half of the window. */
  readonly isRoomy: boolean;
  readonly sums: Readonly<Sums>;
}

/** A question with what it takes from nothing. */
export type DemandedQuestion = PlannedQuestion & { readonly demand: Demand };

export interface PlayedWorld {
  readonly corpus: Corpus;
  readonly window: number;
}

/** Returns what the prompt lacks for the next step, or the answer that follows from what stands in it. */
function nextOf(
  plan: PlannedQuestion["plan"],
  prompt: readonly BaseMessage[],
  corpus: Corpus,
): Wanted | string {
  try {
    return evaluatePlan(plan, promptSource(prompt, corpus));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return { ...error.wanted, values: error.wanted.values.slice(0, patternsOfCall) };
  }
}

/** Returns what a question takes from nothing. */
export function demandOf({ plan }: PlannedQuestion, corpus: Corpus): Demand {
  const answers: BaseMessage[] = [];
  for (;;) {
    const next = nextOf(plan, answers, corpus);
    if (typeof next === "string") return { calls: answers.length, tokens: charsOverFour(answers) };
    answers.push(new ToolMessage({ content: grepAnswer(corpus, next), tool_call_id: "demand" }));
  }
}

/** Plays questions one after the other in one thread of a system. */
export async function playThread(
  questions: readonly DemandedQuestion[],
  system: CompactingSystem,
  world: PlayedWorld,
): Promise<readonly PlayedQuestion[]> {
  const thread = new AgentThread(system, world);
  const played: PlayedQuestion[] = [];
  for (const question of questions) played.push(await thread.answer(question));
  return played;
}

class AgentThread {
  readonly #meter = new SummaryMeter();
  readonly #run: PolicyRun;
  readonly #thread: BaseMessage[] = [];
  readonly #fetched = new Set<string>();
  #before: readonly BaseMessage[] = [];
  #added: BaseMessage[] = [];
  #chunk = 0;

  constructor(
    readonly system: CompactingSystem,
    readonly world: PlayedWorld,
  ) {
    this.#run = system.start({ budget: world.window, seed: 1, meter: this.#meter });
  }

  async answer({ text, plan, truth, kind, demand }: DemandedQuestion): Promise<PlayedQuestion> {
    this.#say(new HumanMessage(text));
    const { corpus, window } = this.world;
    const sums = { ...nothing };
    for (;;) {
      const prompt = await this.#prompt(text, sums);
      const next = nextOf(plan, prompt, corpus);
      const isOver = sums.calls >= patience * demand.calls;
      if (typeof next === "string" || isOver) {
        const answer = typeof next === "string" ? next : "I give up.";
        this.#write(new AIMessage(answer), sums);
        const isRoomy = demand.tokens <= window / 2;
        return { kind, isRight: isRight(answer, truth), isRoomy, sums };
      }
      this.#fetch(next, sums);
    }
  }

  #say(message: BaseMessage): void {
    message.id = `m${this.#thread.length + this.#added.length}`;
    this.#added.push(message);
  }

  /** What the agent writes is billed. */
  #write(message: AIMessage, sums: Sums): void {
    this.#say(message);
    sums.bill += (billedPrices.output * textOf(message).length) / 4;
  }

  async #prompt(question: string, sums: Sums): Promise<readonly BaseMessage[]> {
    this.#thread.push(...this.#added);
    const prompt = await this.#run.context(this.#added, { chunk: this.#chunk++, needed: [] });
    sums.bill += wholeBill({ ...prefixOf(this.#before, prompt), summary: this.#meter.take(), reRead: 0 });
    const [tokens, before] = [charsOverFour(prompt), charsOverFour(this.#before)];
    sums.prompts += 1;
    if (tokens > this.world.window) sums.unfit += 1;
    if (tokens < before) {
      sums.shorter += 1;
      sums.tokensOfShorter += tokens;
    }
    if (!prompt.some((message) => isIn(message, question))) sums.withoutQuestion += 1;
    if (this.system.isOurs === true) sums.illegal += addedIllegalities(this.#thread, prompt).length;
    this.#before = [...prompt];
    this.#added = [];
    return prompt;
  }

  #fetch(wanted: Wanted, sums: Sums): void {
    const { corpus } = this.world;
    const { file, field, values, countsOnly } = wanted;
    const id = `call-${this.#chunk}`;
    const call = { id, name: "grep", args: { ...grepFor(wanted) }, type: "tool_call" as const };
    this.#write(new AIMessage({ content: `I look up ${field} in ${file}.txt.`, tool_calls: [call] }), sums);
    this.#say(new ToolMessage({ name: "grep", tool_call_id: id, content: grepAnswer(corpus, wanted) }));
    const keyOf = (value: string, form: string) => [file, field, value, form].join("|");
    const again = values.filter((value) =>
      this.#fetched.has(keyOf(value, countsOnly ? "counts" : "records")),
    );
    // Records come with their number.
    for (const value of values) {
      this.#fetched.add(keyOf(value, "counts"));
      if (!countsOnly) this.#fetched.add(keyOf(value, "records"));
    }
    sums.calls += 1;
    if (again.length === 0) return;
    sums.callsAgain += 1;
    sums.tokensAgain += grepAnswer(corpus, { ...wanted, values: again }).length / 4;
  }
}

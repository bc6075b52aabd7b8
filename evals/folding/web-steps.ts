import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import { pick } from "../data/pick.js";

export interface WebStepsOptions {
  readonly seed: number;
  readonly steps: number;
  /** Returns the fold directive that the model adds at a step, or an empty text. */
  readonly directive: (step: number) => string;
}

/** How a scripted model folds. */
export const habits: readonly { readonly name: string; readonly directive: (step: number) => string }[] = [
  { name: "never folds", directive: () => "" },
  {
    name: "merges ten steps at every tenth",
    directive: (step) => (step > 1 && step % 10 === 1 ? deep(step - 10, step - 1) : ""),
  },
  {
    name: "merges everything at every step",
    directive: (step) => (step > 2 ? deep(1, step - 1) : ""),
  },
];

function deep(from: number, to: number): string {
  return `<context>{"range":[${from},${to}],"summary":"Steps ${from} to ${to}: no owner named yet, see R-${to}."}</context>`;
}

const topics = ["harbour", "museum", "railway", "library", "theatre", "market", "bridge", "archive"] as const;
const verbs = ["opened", "closed", "bought", "restored", "moved", "surveyed", "painted", "sold"] as const;

/**
 * Returns a generated run of a web research agent, step by step: a search or a page of about 800 tokens in each, with dates,
 * names and codes that occur nowhere else. Steps have the size of the paper's: about 91k tokens after 100.
 */
export function* webSteps({ seed, steps, directive }: WebStepsOptions): Generator<readonly BaseMessage[]> {
  const random = randomFrom(seed);
  const question = "Which building changed hands twice, and what did it cost?";
  yield [new HumanMessage({ id: "question", content: question })];
  for (let step = 1; step <= steps; step++) {
    const topic = pick(topics, random);
    const url = `https://site-${Math.floor(random() * 400)}.example/${topic}/${step}`;
    const reason = `Step ${step}: the ${topic} page may name the owner, so I open ${url} and look for dates.`;
    const said = `${reason} ${directive(step)}`.trim();
    const args = { url, question: `owner of the ${topic}` };
    yield madeStep({ id: step, said, name: "open_page", args, result: page(step, topic, random) });
  }
}

function page(step: number, topic: string, random: () => number): string {
  const lines = Array.from({ length: 18 + Math.floor(random() * 18) }, (_, line) => {
    const year = 1800 + Math.floor(random() * 220);
    const price = Math.floor(random() * 900_000);
    return `${line}. In ${year} the ${topic} of ward ${line % 9} was ${pick(verbs, random)} for ${price} (record R-${step}-${line}-${price % 97}).`;
  });
  return lines.join("\n");
}

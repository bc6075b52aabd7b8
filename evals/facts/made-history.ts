import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import { pick } from "../data/pick.js";

/** A fact that is stated once, by a string that occurs nowhere else. */
export interface Fact {
  readonly text: string;
  /** Index of the message that states it. */
  readonly at: number;
}

/** What a question asks for: the newest of several values, all facts of a topic, or events in their order. */
export type AskedFor = "the newest value" | "all of a topic" | "the order of events";

export interface FactQuestion {
  readonly kind: AskedFor;
  readonly text: string;
  /** Words that stand beside each of the facts: what a grep would look for. */
  readonly phrase: string;
  /** Oldest first. Of values only the last is right. */
  readonly facts: readonly Fact[];
}

/** A history of sessions, and what can be asked about it. */
export interface History {
  readonly messages: readonly BaseMessage[];
  readonly questions: readonly FactQuestion[];
}

const towns = ["Porto", "Tartu", "Galway", "Hobart", "Oaxaca", "Cusco", "Tromso", "Kyoto"];
const things = ["budget", "deadline", "headcount", "quota"];
const spent = ["train", "hotel", "permit", "courier", "dinner", "printer"];
const done = ["drafted", "reviewed", "rejected", "revised", "approved", "shipped"];
const stepsOfSession = 8;

/**
 * Returns generated sessions of an assistant with tools: values that supersede each other, expenses of a topic over all
 * sessions, and events, each on a line in a result full of similar ones or in the user's own words. Pure.
 */
export function makeHistory(seed: number, sessions: number): History {
  const random = randomFrom(seed);
  const messages: BaseMessage[] = [];
  const told = new Map<string, FactQuestion & { readonly facts: Fact[] }>();
  const used = new Set<string>();
  const code = (): string => {
    const made = String(100_000 + Math.floor(random() * 899_999));
    if (used.has(made)) return code();
    used.add(made);
    return made;
  };
  const tell = (question: Omit<FactQuestion, "facts">, fact: Fact) => {
    const known = told.get(question.text) ?? { ...question, facts: [] };
    told.set(question.text, known);
    known.facts.push(fact);
  };
  const factLine = (at: number): string => {
    const [town, thing, value] = [pick(towns, random), pick(things, random), code()];
    const chance = random();
    if (chance < 0.5) {
      const text = `What is the ${thing} of ${town} now?`;
      tell({ kind: "the newest value", text, phrase: `${thing} of ${town} is` }, { text: value, at });
      return `The ${thing} of ${town} is ${value} from now on.`;
    }
    if (chance < 0.75) {
      const text = `What was spent on ${town}?`;
      tell({ kind: "all of a topic", text, phrase: `Spent on ${town}` }, { text: value, at });
      return `Spent on ${town}: ${pick(spent, random)}, receipt ${value}.`;
    }
    const text = `In which order was the plan in ${town} drafted, reviewed and shipped?`;
    tell({ kind: "the order of events", text, phrase: `In ${town} the plan was` }, { text: value, at });
    return `In ${town} the plan was ${pick(done, random)}, entry ${value}.`;
  };
  const noise = () =>
    `${pick(towns, random)}, ${pick(things, random)} of others, ${pick(spent, random)} and ${pick(spent, random)}: line ${code()} was ${pick(done, random)}.`;
  for (let session = 0; session < sessions; session++) {
    const said = random() < 0.5 ? ` ${factLine(messages.length)}` : "";
    messages.push(
      new HumanMessage({ id: `u${session}`, content: `Session ${session}: go through the notes.${said}` }),
    );
    for (let step = 0; step < stepsOfSession; step++) {
      const id = `${session}-${step}`;
      const lines = Array.from({ length: 25 }, noise);
      const facts = 1 + Math.floor(random() * 2);
      // What is told later stands below.
      let place = 0;
      for (let fact = 0; fact < facts; fact++) {
        place += 1 + Math.floor(random() * 10);
        // The result stands behind the call.
        lines.splice(place, 0, factLine(messages.length + 1));
      }
      const call = { said: `I read part ${step}.`, name: "read_notes", args: { part: id } };
      messages.push(...madeStep({ id, callId: `c${id}`, ...call, result: lines.join("\n") }));
    }
    messages.push(new AIMessage({ id: `e${session}`, content: "That was all of this session." }));
  }
  return { messages, questions: [...told.values()].filter(({ facts }) => facts.length > 1) };
}

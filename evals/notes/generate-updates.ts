import type { Dialogue, Question, Turn } from "../data/dialogue.js";
import { randomFrom } from "../data/random-from.js";
import { pick } from "../data/pick.js";

const projects = [
  "the Lisbon trip",
  "the greenhouse",
  "the choir tour",
  "the loft",
  "the bakery course",
  "the museum guide",
];
const values = [
  { said: (of: string, value: number) => `The budget of ${of} is ${value} euros.`, asked: "the budget" },
  {
    said: (of: string, value: number) => `I have ${value} guests on the list for ${of}.`,
    asked: "the number of guests",
  },
  {
    said: (of: string, value: number) => `The deadline of ${of} is in ${value} days.`,
    asked: "the deadline",
  },
];
const chatter = [
  "Can you suggest how I should begin with this?",
  "Thanks, that helps me a lot with what I have in mind.",
  "I would like to hear more about the second point.",
];
const advice =
  "First compare a few offers, then look at the condition, ask what is included, and leave time for the way home.";

/**
 * Returns a generated chat of a user with an assistant over several sessions, in which each value is said once and changed in a later
 * session, with a question for each.
 */
export function generateUpdates(seed: number, sessions = 8): Dialogue {
  const random = randomFrom(seed);
  const said: Turn[][] = Array.from({ length: sessions }, () => []);
  const questions: Question[] = [];
  const say = (session: number, text: string): string => {
    const own = said[session] ?? [];
    const id = `D${session + 1}:${own.length + 1}`;
    const answer = Array.from({ length: 12 }, (_, at) => `${at + 1}. ${advice}`).join("\n");
    own.push({ id, speaker: "user", text }, { id: `${id} answer`, speaker: "assistant", text: answer });
    return id;
  };
  for (const project of projects) {
    for (const { said: state, asked } of values) {
      const first = Math.floor(random() * (sessions - 1));
      const second = first + 1 + Math.floor(random() * (sessions - first - 1));
      const [before, now] = [20 + Math.floor(random() * 900), 20 + Math.floor(random() * 900)];
      for (let turn = 0; turn < 4; turn++) say(Math.floor(random() * sessions), pick(chatter, random));
      const older = say(first, `${state(project, before)} ${pick(chatter, random)}`);
      const newer = say(second, `${state(project, now)} ${pick(chatter, random)}`);
      questions.push({
        text: `What is ${asked} of ${project} now?`,
        evidence: [older, newer],
        category: "knowledge update",
        updated: { older: [older], newer: [newer] },
      });
    }
  }
  return { id: `updates-${seed}`, turns: said.flat(), observations: [], questions };
}

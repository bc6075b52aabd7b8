import type { Dialogue, Question, Turn } from "../dialogue.js";
import { randomFrom } from "../random-from.js";
import { pick } from "../pick.js";

const people = ["Ada", "Ben"];
const things = "a kayak, a cello, a greenhouse, a telescope, a bakery course, a loom, a rescue dog".split(
  ", ",
);
const places = ["Porto", "Tromso", "Kyoto", "Cusco", "Tartu", "Galway", "Hobart", "Oaxaca"];
const months = ["March", "April", "May", "June", "July", "August", "September"];
const chatter = [
  "How have you been lately?",
  "That sounds lovely, tell me more.",
  "Work was long this week, but fine.",
  "I am glad that we talk so often.",
];
const turnsPerSession = 20;

/** Returns a generated conversation of two people, with questions about what one of them said once. */
export function generateDialogue(seed: number, sessions = 12): Dialogue {
  const random = randomFrom(seed);
  const turns: Turn[] = [];
  const questions: Question[] = [];
  for (let at = 0; at < sessions * turnsPerSession; at++) {
    const id = `D${Math.floor(at / turnsPerSession) + 1}:${(at % turnsPerSession) + 1}`;
    const speaker = people[at % 2] ?? "Ada";
    if (random() > 0.15) {
      turns.push({ id, speaker, text: `${speaker}: ${pick(chatter, random)} ${pick(chatter, random)}` });
      continue;
    }
    const fact = {
      thing: pick(things, random),
      place: pick(places, random),
      month: pick(months, random),
      price: 100 + Math.floor(random() * 900),
    };
    turns.push({
      id,
      speaker,
      text: `${speaker}: I found ${fact.thing} in ${fact.place} in ${fact.month} for ${fact.price} euros.`,
    });
    const text = `What did ${speaker} pay for ${fact.thing} in ${fact.place} in ${fact.month}?`;
    questions.push({ text, evidence: [id], category: "single-hop" });
  }
  return { id: `seed-${seed}`, turns, observations: [], questions };
}

const advice =
  "First compare a few offers, then look at the condition, ask what is included, and leave time for the way home.";

/**
 * Returns a generated chat of a user with an assistant: the user is brief, the assistant answers at length and repeats the
 * words of the question, but not the facts.
 */
export function generateAssistance(seed: number, sessions = 12): Dialogue {
  const { turns, questions, ...rest } = generateDialogue(seed, sessions);
  const known = new Set(questions.flatMap(({ evidence }) => evidence));
  const said = turns.flatMap((turn): Turn[] => {
    const topic = known.has(turn.id) ? turn.text.replace(/ for \d+ euros\.$/, "") : "that";
    const answer = Array.from({ length: 12 }, (_, at) => `${at + 1}. On ${topic}: ${advice}`).join("\n");
    return [
      { ...turn, speaker: "user" },
      { id: `${turn.id} answer`, speaker: "assistant", text: answer },
    ];
  });
  return { ...rest, turns: said, questions };
}

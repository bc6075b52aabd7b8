import type { Dialogue, Question, Turn } from "./dialogue.js";
import { randomFrom } from "./random-from.js";

const people = ["Ada", "Ben"];
const things = [
  "a kayak",
  "a cello",
  "a greenhouse",
  "a telescope",
  "a bakery course",
  "a loom",
  "a rescue dog",
];
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
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const turns: Turn[] = [];
  const questions: Question[] = [];
  for (let at = 0; at < sessions * turnsPerSession; at++) {
    const id = `D${Math.floor(at / turnsPerSession) + 1}:${(at % turnsPerSession) + 1}`;
    const speaker = people[at % 2] ?? "Ada";
    if (random() > 0.15) {
      turns.push({ id, text: `${speaker}: ${pick(chatter)} ${pick(chatter)}` });
      continue;
    }
    const fact = {
      thing: pick(things),
      place: pick(places),
      month: pick(months),
      price: 100 + Math.floor(random() * 900),
    };
    turns.push({
      id,
      text: `${speaker}: I found ${fact.thing} in ${fact.place} in ${fact.month} for ${fact.price} euros.`,
    });
    const text = `What did ${speaker} pay for ${fact.thing} in ${fact.place} in ${fact.month}?`;
    questions.push({ text, answer: `${fact.price} euros`, evidence: [id], category: 4 });
  }
  return { id: `seed-${seed}`, turns, summaries: [], observations: [], questions };
}

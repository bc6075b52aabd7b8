import { pick } from "../data/pick.js";

/** What the variables of a case are filled with, and what its filler is made of. */

export const people: readonly string[] =
  "Agnes Bertil Ceren Dorota Emeka Fiona Goran Hilde Ilse Joao Katia Lorcan".split(" ");

export const projects: readonly string[] = [
  "warehouse move",
  "invoice import",
  "timetable planner",
  "map renderer",
  "ticket archive",
  "sensor gateway",
  "translation desk",
  "booking calendar",
];

/** What is forbidden, decided or somebody's task. None is a part of another. */
export const actions: readonly string[] = [
  "rename columns of the ledger",
  "send mails from the test cluster",
  "share one token among all workers",
  "delete rows without a backup",
  "round amounts before the last sum",
  "open a port to the outside",
  "read dates in the local time zone",
  "copy customer names into tickets",
  "restart the queue at noon",
  "raise the limit of the pool",
  "keep sessions in a cookie",
  "compress pictures twice",
  "mix units in one table",
  "let two jobs write one file",
  "change prices during a sale",
  "publish a draft of the schema",
  "print keys of partners",
  "cut the retention to a week",
];

const subjects: readonly string[] = [
  "The lift in our building",
  "My bicycle",
  "The new coffee machine",
  "The printer on the third floor",
  "A neighbour of mine",
  "The bakery at the corner",
  "The train this morning",
  "The film of last night",
  "The weather at the coast",
  "The chess club",
];

const remarks: readonly string[] = [
  "was slower than usual again",
  "made a strange noise all morning",
  "got a coat of green paint",
  "is closed for two weeks",
  "surprised everybody in the office",
  "costs more than last year",
  "reminds me of a trip to the lakes",
  "had a queue down to the street",
  "needs somebody who looks after it",
  "was on the radio",
];

const replies: readonly string[] = [
  "That is good to hear. I am ready for the main subject.",
  "I see. Tell me when we go on.",
  "A short break does no harm. Shall we return to the work?",
  "Thank you for telling me. Back to the subject when you like.",
  "Noted, though it has little to do with our work.",
];

/** Returns a turn of filler that has nothing to do with a case: what the user says is long, what the assistant says is short. */
export function fillerTurn(random: () => number, isUser: boolean): string {
  if (!isUser) return pick(replies, random);
  return Array.from({ length: 4 }, () => `${pick(subjects, random)} ${pick(remarks, random)}.`).join(" ");
}

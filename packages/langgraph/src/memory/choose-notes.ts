import { estimateTextTokens, tfIdfScores } from "@palimpsest/context/internal";
import { rankUnits } from "@palimpsest/context/selection";
import { contentWords } from "@palimpsest/context/words";
import { byTime, noteLine, type Note } from "./note.js";

/** Words that two notes of one subject share at least, and their share of the rarer words of the shorter note. */
const [leastShared, subjectShare] = [2, 0.4];
/** Share of the notes in which a word may occur that finds notes of one subject. */
const rareShare = 0.02;
/** Notes in which such a word may always occur. */
const rareCount = 20;
/** Factor for a note with a number, a date or an amount: the words around it seldom say it again. */
const numberFactor = 1.3;
/** Factor for a note that a later one supersedes. */
const olderFactor = 0.5;

/** Share of the budget for notes that match what a thread is about. */
const aboutShare = 0.5;

/**
 * Returns the notes that say most within a budget in tokens, the oldest first. Those that match `about`, such as the first request of a
 * thread, come before the others, in half of the budget. A note is chosen only together with every later note of its subject, so that no
 * old value stands without the new one. Of equal notes only the newest counts. Pure.
 *
 * A note is of the subject of an earlier one if a model says so, or if they share two words that make up two fifths of the
 * weight of the shorter, each word weighted by its rarity.
 */
export function chooseNotes(given: readonly Note[], tokens: number, about = ""): readonly Note[] {
  const order = new NotesInTime(given);
  const { notes } = order;
  const scores = tfIdfScores(notes.map(({ text }) => text)).map((score, at) => {
    const isOlder = order.later(at).length > 0;
    return score * (/\d/u.test(notes[at]?.text ?? "") ? numberFactor : 1) * (isOlder ? olderFactor : 1);
  });
  const chosen = new Set<number>();
  const matching = matches(notes, about);
  const used = addNotes(chosen, { order, best: matching, room: aboutShare * tokens });
  addNotes(chosen, { order, best: ranked(scores), room: tokens - used });
  return notes.filter((_, at) => chosen.has(at));
}

/** Returns the positions by their scores; of equal scores, the newer first. */
function ranked(scores: readonly number[]): readonly number[] {
  return scores.map((_, at) => at).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
}

/** Returns the positions of the notes that match a text, the best first. */
function matches(notes: readonly Note[], query: string): readonly number[] {
  const scores = rankUnits(
    notes.map(({ text }) => ({ value: text, text })),
    { query, neighbours: [] },
  );
  return ranked(scores).filter((at) => (scores[at] ?? 0) > 0);
}

interface Addition {
  readonly order: NotesInTime;
  readonly best: readonly number[];
  /** Tokens. */
  readonly room: number;
}

/** Adds the best notes that fit, each with the later ones of its subject. Returns their tokens. */
function addNotes(chosen: Set<number>, { order, best, room }: Addition): number {
  let left = room;
  for (const at of best) {
    const added = [...order.withLater(at)].filter((one) => !chosen.has(one));
    const cost = added.reduce((sum, one) => sum + costOf(order.notes[one]), 0);
    if (cost > left) continue;
    left -= cost;
    for (const one of added) chosen.add(one);
  }
  return room - left;
}

/** Notes of one subject that answer a question at most: a subject that comes up in every thread would fill the answer. */
const mostOfSubject = 4;

/**
 * Returns the notes that answer a question best, the oldest first: at most `limit`, each with the later notes of its subject, of
 * which the newest four stay. Pure.
 */
export function matchingNotes(given: readonly Note[], query: string, limit: number): readonly Note[] {
  const order = new NotesInTime(given);
  const { notes } = order;
  const best = matches(notes, query).slice(0, limit);
  const chosen = new Set(best.flatMap((at) => newestOf(order.withLater(at))));
  return notes.filter((_, at) => chosen.has(at));
}

function newestOf(positions: Iterable<number>): readonly number[] {
  return [...positions].toSorted((a, b) => a - b).slice(-mostOfSubject);
}

function costOf(note: Note | undefined): number {
  return note === undefined ? 0 : estimateTextTokens(noteLine(note)) + 1;
}

/** Returns notes in the order of their time, without those that a later one repeats. */
function newestOfEqual(notes: readonly Note[]): readonly Note[] {
  const sorted = notes.toSorted(byTime);
  const newest = new Map(sorted.map((note) => [note.text.toLowerCase(), note]));
  return sorted.filter((note) => newest.get(note.text.toLowerCase()) === note);
}

/** The notes of a scope in the order of their time, and which later ones are of the subject of each. */
class NotesInTime {
  readonly notes: readonly Note[];
  readonly #bags: readonly ReadonlySet<string>[];
  readonly #places = new Map<string, number[]>();
  readonly #superseding = new Map<string, number[]>();
  readonly #later = new Map<number, readonly number[]>();

  constructor(given: readonly Note[]) {
    this.notes = newestOfEqual(given);
    this.#bags = this.notes.map(({ text }) => new Set(contentWords(text)));
    for (const [at, bag] of this.#bags.entries()) for (const word of bag) append(this.#places, word, at);
    for (const [at, { supersedes = [] }] of this.notes.entries())
      for (const id of supersedes) append(this.#superseding, id, at);
  }

  /** Returns a position with those of all later notes that follow from it. */
  withLater(from: number): ReadonlySet<number> {
    const found = new Set([from]);
    for (const at of found) for (const next of this.later(at)) found.add(next);
    return found;
  }

  /** Returns the positions of the later notes of the subject of one. */
  later(at: number): readonly number[] {
    const known = this.#later.get(at) ?? this.#laterOf(at);
    this.#later.set(at, known);
    return known;
  }

  #laterOf(at: number): readonly number[] {
    const bag = this.#bags[at] ?? new Set();
    const rare = Math.max(rareCount, rareShare * this.#bags.length);
    const others = [...bag]
      .map((word) => this.#places.get(word) ?? [])
      .filter(({ length }) => length <= rare);
    const near = [...new Set(others.flat())].filter((other) => other > at && this.#isOneSubject(at, other));
    const named = (this.#superseding.get(this.notes[at]?.id ?? "") ?? []).filter((other) => other > at);
    return [...new Set([...near, ...named])];
  }

  #isOneSubject(at: number, other: number): boolean {
    const [one = new Set<string>(), two = new Set<string>()] = [this.#bags[at], this.#bags[other]];
    const shared = [...one].filter((word) => two.has(word));
    const least = subjectShare * Math.min(this.#weigh(one), this.#weigh(two));
    return shared.length >= leastShared && this.#weigh(shared) >= least;
  }

  #weigh(words: Iterable<string>): number {
    return sum(
      [...words].map((word) => Math.log(1 + this.notes.length / (this.#places.get(word)?.length ?? 1))),
    );
  }
}

function append(lists: Map<string, number[]>, key: string, value: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

import { estimateTextTokens, tfIdfScores } from "@palimpsest/context/internal";
import { contentWords } from "@palimpsest/context/words";
import { noteLine, type Note } from "./note.js";

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

/**
 * Returns the notes that say most within a budget in tokens, the oldest first. A note is chosen only together with every later
 * note of its subject, so that no old value stands without the new one. Of equal notes only the newest counts. Pure.
 *
 * A note is of the subject of an earlier one if a model says so, or if they share two words that make up two fifths of the
 * weight of the shorter, each word weighted by its rarity.
 */
export function chooseNotes(given: readonly Note[], tokens: number): readonly Note[] {
  const notes = newestOfEqual(given);
  const later = laterOfSubject(notes);
  const scores = tfIdfScores(notes.map(({ text }) => text)).map((score, at) => {
    const isOlder = later[at]?.length !== 0;
    return score * (/\d/u.test(notes[at]?.text ?? "") ? numberFactor : 1) * (isOlder ? olderFactor : 1);
  });
  // Of equal scores, the newer first.
  const order = notes.map((_, at) => at).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
  const chosen = new Set<number>();
  let room = tokens;
  for (const at of order) {
    const added = [...reachable(at, later)].filter((one) => !chosen.has(one));
    const cost = added.reduce((sum, one) => sum + costOf(notes[one]), 0);
    if (cost > room) continue;
    room -= cost;
    for (const one of added) chosen.add(one);
  }
  return notes.filter((_, at) => chosen.has(at));
}

function costOf(note: Note | undefined): number {
  return note === undefined ? 0 : estimateTextTokens(noteLine(note)) + 1;
}

/** Returns notes in the order of their time, without those that a later one repeats. */
function newestOfEqual(notes: readonly Note[]): readonly Note[] {
  const sorted = notes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const newest = new Map(sorted.map((note) => [note.text.toLowerCase(), note]));
  return sorted.filter((note) => newest.get(note.text.toLowerCase()) === note);
}

/** Returns for each note the positions of the later notes of its subject. */
function laterOfSubject(notes: readonly Note[]): readonly (readonly number[])[] {
  const positions = new Map(notes.map(({ id }, at) => [id, at]));
  const subjects = new Subjects(notes.map(({ text }) => text));
  const later = notes.map((_, at) => subjects.near(at).filter((other) => other > at));
  for (const [at, { supersedes = [] }] of notes.entries()) {
    const older = supersedes.map((id) => positions.get(id) ?? at).filter((one) => one < at);
    for (const one of older) later[one]?.push(at);
  }
  return later;
}

/** Finds texts of one subject by the words that they share. */
class Subjects {
  readonly #bags: readonly ReadonlySet<string>[];
  readonly #places = new Map<string, number[]>();

  constructor(texts: readonly string[]) {
    this.#bags = texts.map((text) => new Set(contentWords(text)));
    for (const [at, bag] of this.#bags.entries()) for (const word of bag) this.#add(word, at);
  }

  #add(word: string, at: number): void {
    const known = this.#places.get(word);
    if (known === undefined) this.#places.set(word, [at]);
    else known.push(at);
  }

  /** Returns the positions of the texts of one subject with the text at a position, itself left out. */
  near(at: number): readonly number[] {
    const bag = this.#bags[at] ?? new Set();
    const rare = Math.max(rareCount, rareShare * this.#bags.length);
    const others = [...bag]
      .map((word) => this.#places.get(word) ?? [])
      .filter(({ length }) => length <= rare);
    const candidates = new Set(others.flat());
    candidates.delete(at);
    return [...candidates].filter((other) => this.#isOneSubject(bag, this.#bags[other] ?? new Set()));
  }

  #isOneSubject(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
    const shared = [...one].filter((word) => other.has(word));
    const least = subjectShare * Math.min(this.#weigh(one), this.#weigh(other));
    return shared.length >= leastShared && this.#weigh(shared) >= least;
  }

  #weigh(words: Iterable<string>): number {
    return sum(
      [...words].map((word) => Math.log(1 + this.#bags.length / (this.#places.get(word)?.length ?? 1))),
    );
  }
}

/** Returns a position with all that follow from it. */
function reachable(from: number, later: readonly (readonly number[])[]): ReadonlySet<number> {
  const found = new Set([from]);
  for (const at of found) for (const next of later[at] ?? []) found.add(next);
  return found;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

import { wholeLineAtom } from "../messages/line-atoms.js";
import { planCharacters, shownItems } from "../plans/plan-list.js";
import type { Atom, AtomTable } from "./atom-table.js";
import type { FileState, IndexedLine, WordState } from "./indexed-chunk.js";
import { nearAtoms } from "./near-atoms.js";
import { reuseWeights, type ReuseMemory, type ReuseWeights } from "./reuse-weights.js";
import { atomWords } from "./word-table.js";

/** Number of newest chunks to read for names in calls, and for names in agent and user text. */
const callChunks = 2;
const intentChunks = 4;
const callRadius = 12;
const intentRadius = 6;

/** Features of an atom for the reuse model, in the order of {@link featureNames}. */
export type AtomFeatures = Float64Array;

export const featureNames = Object.keys(reuseWeights) as readonly (keyof ReuseWeights)[];

/**
 * Sets the probability of every atom to be used by the next call. Linear in the candidates, regardless of the history.
 *
 * Hot path, runs for every atom at every selection: inlines the sum over the features of {@link eachAtom}.
 */
export function scoreAtoms(index: ReuseMemory, weights: ReuseWeights = reuseWeights): void {
  const chunks = index.chunks.length;
  const reset = setRecency(index);
  const logs = logarithms(chunks + 1);
  const { end, isLine, last, count, uses, dead, nearCalls, nearIntent, probability } = index.atoms;
  const log = (value: number | undefined) => logs[value ?? 0] ?? 0;
  for (let number = 0; number < end; number++) {
    if (count[number] === 0) continue;
    const line = isLine[number] === 1;
    const used = uses[number] ?? 0;
    const meant = nearIntent[number] ?? 0;
    let sum = weights.bias + weights.age * log(chunks - (last[number] ?? 0));
    if (used > 0) sum += weights.uses * log(1 + used) + weights.used + (line ? weights.usedLine : 0);
    if (dead[number] === 1) sum += weights.dead;
    if (meant > 0) sum += weights.nearIntent * Math.log1p(meant);
    if (line) {
      sum += weights.line + weights.fileAge * log(fileAge(index.atoms.files[number], chunks));
      const called = nearCalls[number] ?? 0;
      if (called > 0) sum += weights.nearCalls * Math.log1p(called);
    } else {
      const said = saidWeight(index.atoms.words[number]);
      if (said > 0) sum += weights.words * Math.log1p(said);
    }
    probability[number] = 1 / (1 + Math.exp(-sum));
  }
  reset();
  setPlan(index);
}

/** The least probability of an item that is open or done. */
const planned = { open: 0.3, done: 0.1 };

/** The plan is what the next calls work through: its items stay in sight, however long ago they were written. */
function setPlan({ atoms, plan }: ReuseMemory): void {
  for (const { line, isDone } of shownItems(plan, planCharacters)) {
    const number = atoms.numberOf(wholeLineAtom(line) ?? "");
    if (number === undefined) continue;
    atoms.probability[number] = Math.max(
      atoms.probability[number] ?? 0,
      isDone ? planned.done : planned.open,
    );
  }
}

/** Calls `visit` with the features of each atom, in the order of {@link featureNames}; reuses one array. */
export function eachAtom(index: ReuseMemory, visit: (atom: Atom, features: AtomFeatures) => void): void {
  const chunks = index.chunks.length;
  const reset = setRecency(index);
  const features = new Float64Array(featureNames.length);
  const { atoms } = index;
  for (let number = 0; number < atoms.end; number++) {
    if (atoms.count[number] === 0) continue;
    const atom = atoms.atom(number);
    const line = atom.isLine ? 1 : 0;
    const used = atom.uses > 0 ? 1 : 0;
    features.set([1, line, Math.log(chunks - atom.last), Math.log1p(atom.uses), used, used * line]);
    const age = line * Math.log(fileAge(atoms.files[number], chunks));
    const called = line * Math.log1p(atoms.nearCalls[number] ?? 0);
    const said = line === 1 ? 0 : Math.log1p(saidWeight(atoms.words[number]));
    features.set([atoms.dead[number] ?? 0, age, called, Math.log1p(atoms.nearIntent[number] ?? 0), said], 6);
    visit(atom, features);
  }
  reset();
}

function fileAge(file: FileState | undefined, chunks: number): number {
  return file === undefined ? chunks + 1 : Math.max(1, chunks - file.touched);
}

let logarithmTable = new Float64Array(0);

/** Returns natural logarithms of 0 (as 0) to `max`: a table is several times faster than `Math.log`. */
function logarithms(max: number): Float64Array {
  if (logarithmTable.length <= max) {
    logarithmTable = Float64Array.from({ length: 2 * max + 64 }, (_, n) => (n === 0 ? 0 : Math.log(n)));
  }
  return logarithmTable;
}

function saidWeight(words: readonly WordState[] = []): number {
  let sum = 0;
  for (const word of words) sum += word.said;
  return sum;
}

/** Sets the nearby weights of each atom and the weights of recent words; returns a function that resets the words. */
function setRecency(memory: ReuseMemory): () => void {
  const { chunks, atoms, words } = memory;
  const total = chunks.length;
  const called = namesOf(
    atoms,
    chunks.slice(-callChunks).flatMap(({ lines }) => lines),
  );
  nearAtoms(atoms, called, { near: atoms.nearCalls, radius: callRadius, chunks });
  const intent = namesOf(
    atoms,
    chunks.slice(-intentChunks).flatMap(({ lines }) => lines.filter(isSaid)),
  );
  nearAtoms(atoms, intent, { near: atoms.nearIntent, radius: intentRadius, chunks });
  const states = recentWords(memory).flatMap((word) => words.get(word) ?? []);
  for (const word of states) word.said = Math.log1p(total / Math.max(1, word.chunks));
  return () => {
    for (const word of states) word.said = 0;
  };
}

/** Returns the words of recent agent and user text; one may occur several times. */
export function recentWords({ chunks, newestUser }: ReuseMemory): readonly string[] {
  const recent = [...chunks.slice(-callChunks), ...(newestUser === undefined ? [] : [newestUser])];
  return recent.flatMap(({ lines }) => lines.filter(isSaid).flatMap(({ text }) => atomWords(text)));
}

function namesOf({ isLine }: AtomTable, lines: readonly IndexedLine[]): ReadonlySet<number> {
  return new Set(lines.flatMap(({ atoms }) => atoms.filter((number) => isLine[number] === 0)));
}

function isSaid({ role }: IndexedLine): boolean {
  return role === "user" || role === "prose" || role === "argument";
}

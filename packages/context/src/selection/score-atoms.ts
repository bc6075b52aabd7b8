import type { Atom, IndexedLine } from "./indexed-chunk.js";
import { atomWords } from "./atom-words.js";
import { nearAtoms } from "./near-atoms.js";
import type { ReuseMemory } from "./reuse-memory.js";
import { reuseWeights, type ReuseWeights } from "./reuse-weights.js";

/** Newest chunks whose atoms, and whose intent, say what the agent is at. */
const callChunks = 2;
const intentChunks = 4;
const callRadius = 12;
const intentRadius = 6;

/** Facts of an atom that the model of reuse weighs, in the order of {@link featureNames}. */
export type AtomFeatures = Float64Array;

export const featureNames = Object.keys(reuseWeights) as readonly (keyof ReuseWeights)[];

/**
 * Sets the probability of every atom that the next call uses it. Linear in what may be chosen, whatever the history.
 *
 * The sum over the features of {@link eachAtom}, written out: this runs for every atom at every selection.
 */
export function scoreAtoms(index: ReuseMemory, weights: ReuseWeights = reuseWeights): void {
  const chunks = index.chunks.length;
  const forget = look(index);
  const logs = logarithms(chunks + 1);
  const log = (value: number) => logs[value] ?? 0;
  for (const atom of index.atoms.values()) {
    let sum = weights.bias + weights.age * log(chunks - atom.last) + weights.count * log(atom.count);
    if (atom.uses > 0) sum += weights.uses * log(1 + atom.uses) + weights.used;
    if (atom.dead) sum += weights.dead;
    if (atom.nearCalls > 0) {
      sum += (weights.nearCalls + (atom.isLine ? weights.nearCallsLine : 0)) * Math.log1p(atom.nearCalls);
    }
    if (atom.nearIntent > 0) sum += weights.nearIntent * Math.log1p(atom.nearIntent);
    if (atom.isLine) {
      sum +=
        weights.line + weights.fileAge * log(fileAge(atom, chunks)) + (atom.uses > 0 ? weights.usedLine : 0);
    } else if (atom.words.length > 0) {
      const said = saidWeight(atom);
      if (said > 0) sum += weights.words * Math.log1p(said);
    }
    atom.probability = 1 / (1 + Math.exp(-sum));
  }
  forget();
}

/** Calls `visit` with the features of each atom, in the order of {@link featureNames}; the array is the same one each time. */
export function eachAtom(index: ReuseMemory, visit: (atom: Atom, features: AtomFeatures) => void): void {
  const chunks = index.chunks.length;
  const forget = look(index);
  const features = new Float64Array(featureNames.length);
  for (const atom of index.atoms.values()) {
    const line = atom.isLine ? 1 : 0;
    const used = atom.uses > 0 ? 1 : 0;
    const nearCalls = Math.log1p(atom.nearCalls);
    features.set([
      1,
      line,
      Math.log(chunks - atom.last),
      Math.log(atom.count),
      Math.log1p(atom.uses),
      used,
      used * line,
    ]);
    features.set([atom.dead ? 1 : 0, line * Math.log(fileAge(atom, chunks)), nearCalls, nearCalls * line], 7);
    features.set([Math.log1p(atom.nearIntent), line === 1 ? 0 : Math.log1p(saidWeight(atom))], 11);
    visit(atom, features);
  }
  forget();
}

function fileAge({ file }: Atom, chunks: number): number {
  return file === undefined ? chunks + 1 : Math.max(1, chunks - file.touched);
}

let logarithmTable = new Float64Array(0);

/** Natural logarithms of 0 (as 0) to `most`: a table is several times faster than the function. */
function logarithms(most: number): Float64Array {
  if (logarithmTable.length <= most) {
    logarithmTable = Float64Array.from({ length: 2 * most + 64 }, (_, n) => (n === 0 ? 0 : Math.log(n)));
  }
  return logarithmTable;
}

function saidWeight({ words }: Atom): number {
  let sum = 0;
  for (const word of words) sum += word.said;
  return sum;
}

/** Sets what stands around each atom and which words were just said; returns what takes the words back. */
function look({ chunks, atoms, words, newestUser }: ReuseMemory): () => void {
  for (const atom of atoms.values()) {
    atom.nearCalls = 0;
    atom.nearIntent = 0;
  }
  const called = namesOf(chunks.slice(-callChunks).flatMap(({ lines }) => lines));
  nearAtoms(called, { radius: callRadius, chunks: chunks.length, field: "nearCalls" });
  const intent = namesOf(chunks.slice(-intentChunks).flatMap(({ lines }) => lines.filter(isSaid)));
  nearAtoms(intent, { radius: intentRadius, chunks: chunks.length, field: "nearIntent" });
  const recent = [...chunks.slice(-callChunks), ...(newestUser === undefined ? [] : [newestUser])];
  const said = recent.flatMap(({ lines }) => lines.filter(isSaid).flatMap(({ text }) => atomWords(text)));
  const states = said.flatMap((word) => words.get(word) ?? []);
  for (const word of states) word.said = Math.log1p(chunks.length / Math.max(1, word.chunks));
  return () => {
    for (const word of states) word.said = 0;
  };
}

function namesOf(lines: readonly IndexedLine[]): ReadonlySet<Atom> {
  return new Set(lines.flatMap(({ atoms }) => atoms.filter(({ isLine }) => !isLine)));
}

function isSaid({ role }: IndexedLine): boolean {
  return role === "user" || role === "prose" || role === "argument";
}

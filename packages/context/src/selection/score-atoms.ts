import type { Atom, IndexedLine } from "./indexed-chunk.js";
import { atomWords } from "./atom-words.js";
import { nearAtoms } from "./near-atoms.js";
import type { ReuseIndex } from "./reuse-index.js";
import { reuseWeights, type ReuseWeights } from "./reuse-weights.js";

/** Newest chunks whose atoms, and whose intent, say what the agent is at. */
const callChunks = 2;
const intentChunks = 4;
const callRadius = 12;
const intentRadius = 6;

/** Facts of an atom that the model of reuse weighs, in the order of {@link featureNames}. */
export type AtomFeatures = Float64Array;

export const featureNames = Object.keys(reuseWeights) as readonly (keyof ReuseWeights)[];

/** Words of what was just said, each with `ln(1 + chunks / chunks that hold it)`. */
type SaidWords = ReadonlyMap<string, number>;

/** Sets the probability of every atom that the next call uses it. Linear in what may be chosen, whatever the history. */
export function scoreAtoms(index: ReuseIndex, weights: ReuseWeights = reuseWeights): void {
  const values = Float64Array.from(featureNames, (name) => weights[name]);
  eachAtom(index, (atom, features) => {
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += (values[at] ?? 0) * (features[at] ?? 0);
    atom.probability = 1 / (1 + Math.exp(-sum));
  });
}

/** Calls `visit` with the features of each atom; the array is the same one each time. */
export function eachAtom(index: ReuseIndex, visit: (atom: Atom, features: AtomFeatures) => void): void {
  const chunks = index.chunks.length;
  const said = look(index);
  const logs = logarithms(chunks + 1);
  const features = new Float64Array(featureNames.length);
  for (const atom of index.atoms.values()) {
    const line = atom.isLine ? 1 : 0;
    const used = atom.uses > 0 ? 1 : 0;
    const fileAge = atom.file === undefined ? chunks + 1 : Math.max(1, chunks - atom.file.touched);
    const nearCalls = Math.log1p(atom.nearCalls);
    features[0] = 1;
    features[1] = line;
    features[2] = logs[chunks - atom.last] ?? 0;
    features[3] = logs[atom.count] ?? 0;
    features[4] = logs[1 + atom.uses] ?? 0;
    features[5] = used;
    features[6] = used * line;
    features[7] = atom.dead ? 1 : 0;
    features[8] = line * (logs[fileAge] ?? 0);
    features[9] = nearCalls;
    features[10] = nearCalls * line;
    features[11] = Math.log1p(atom.nearIntent);
    features[12] = said.size === 0 || line === 1 ? 0 : Math.log1p(wordWeight(atom, said));
    visit(atom, features);
  }
}

let logarithmTable = new Float64Array(0);

/** Natural logarithms of 0 (as 0) to `most`: a table is several times faster than the function. */
function logarithms(most: number): Float64Array {
  if (logarithmTable.length <= most) {
    logarithmTable = Float64Array.from({ length: 2 * most + 64 }, (_, n) => (n === 0 ? 0 : Math.log(n)));
  }
  return logarithmTable;
}

function wordWeight(atom: Atom, said: SaidWords): number {
  let sum = 0;
  for (const word of atom.words) sum += said.get(word) ?? 0;
  return sum;
}

/** Sets what stands around each atom, and returns the words just said. */
function look(index: ReuseIndex): SaidWords {
  const { chunks, wordChunks, newestUser } = index;
  for (const atom of index.atoms.values()) {
    atom.nearCalls = 0;
    atom.nearIntent = 0;
  }
  const called = namesOf(chunks.slice(-callChunks).flatMap(({ lines }) => lines));
  nearAtoms(called, { radius: callRadius, chunks: chunks.length, field: "nearCalls" });
  const intent = namesOf(chunks.slice(-intentChunks).flatMap(({ lines }) => lines.filter(isSaid)));
  nearAtoms(intent, { radius: intentRadius, chunks: chunks.length, field: "nearIntent" });
  const recent = [...chunks.slice(-callChunks), ...(newestUser === undefined ? [] : [newestUser])];
  const said = new Map<string, number>();
  for (const { text } of recent.flatMap(({ lines }) => lines.filter(isSaid))) {
    for (const word of atomWords(text))
      said.set(word, Math.log1p(chunks.length / (wordChunks.get(word) ?? 1)));
  }
  return said;
}

function namesOf(lines: readonly IndexedLine[]): ReadonlySet<Atom> {
  return new Set(lines.flatMap(({ atoms }) => atoms.filter(({ isLine }) => !isLine)));
}

function isSaid({ role }: IndexedLine): boolean {
  return role === "user" || role === "prose" || role === "argument";
}

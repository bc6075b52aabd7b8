import type { Block, IndexedChunk } from "./indexed-chunk.js";
import type { ReuseMemory } from "./reuse-memory.js";
import { scoreAtoms } from "./score-atoms.js";

/** Newest chunks that are never left out. */
const keptChunks = 64;

/**
 * Leaves the blocks to the archive that promise least for their size, until the rest is within `candidateTokens`.
 *
 * Deterministic. What was left out is found by searching the archive, not by the selection.
 */
export function pruneIndex(index: ReuseMemory): void {
  scoreAtoms(index);
  const newest = index.chunks.length - keptChunks;
  const blocks = index.live.flatMap((chunk) => (chunk.index < newest ? chunk.blocks : []));
  const ranked = blocks.map((block) => ({ block, density: mass(block) / block.tokens }));
  ranked.sort((a, b) => a.density - b.density || a.block.chunk.index - b.block.chunk.index);
  const left = new Set<Block>();
  for (const { block } of ranked) {
    if (index.liveTokens <= index.candidateTokens) break;
    left.add(block);
    index.liveTokens -= block.tokens;
  }
  for (const chunk of new Set([...left].map((block) => block.chunk))) leaveOut(chunk, left);
  index.live = index.live.filter(({ blocks }) => blocks.length > 0);
  forget(index);
}

function mass({ atoms }: Block): number {
  return atoms.reduce((sum, { probability }) => sum + probability, 0);
}

function leaveOut(chunk: IndexedChunk, left: ReadonlySet<Block>): void {
  const gone = chunk.blocks.filter((block) => left.has(block));
  chunk.blocks = chunk.blocks.filter((block) => !left.has(block));
  if (chunk.blocks.length === 0) {
    chunk.lines = [];
    return;
  }
  for (const { start, end } of gone) {
    for (let at = start; at < end; at++) {
      const line = chunk.lines[at];
      if (line !== undefined) chunk.lines[at] = { ...line, text: "", atoms: [] };
    }
  }
}

/** Drops atoms that stand in no line any more, words of no atom, and files of none. */
function forget(index: ReuseMemory): void {
  const live = new Set(index.live.flatMap(({ blocks }) => blocks.flatMap(({ atoms }) => atoms)));
  const words = new Set<unknown>();
  const files = new Set<unknown>();
  for (const [name, atom] of index.atoms) {
    if (!live.has(atom)) {
      index.atoms.delete(name);
      continue;
    }
    atom.places = atom.places.filter(({ chunk, line }) => chunk.lines[line]?.atoms.includes(atom) === true);
    for (const word of atom.words) words.add(word);
    files.add(atom.file);
  }
  for (const [text, word] of index.words) if (!words.has(word)) index.words.delete(text);
  for (const [path, file] of index.files) if (!files.has(file)) index.files.delete(path);
}

import { clipText } from "@palimpsest/context/internal";
import { byPlace } from "./conversation-order.js";
import type { FileHits, Hit } from "./grep-hits.js";

/** Characters of the words around a page that say what there is and how to go on, beside the list of files. */
const frameCharacters = 170;
/** Share of a result that the list of files and their counts may take. */
const countsShare = 0.1;

/** A match, and which one of its file it is: 1 for the first. */
interface Turn {
  readonly file: FileHits;
  readonly number: number;
  readonly hit: Hit;
}

interface PageOptions {
  readonly page: number;
  /** Matches on a page. */
  readonly maxMatches: number;
  /** Characters of the whole result. */
  readonly characters: number;
}

/**
 * Returns the lines of a page; all matches without more words where they fit on the first one. Pure.
 *
 * Which matches a page has is decided in turns; it shows those of the conversation in its order, after those of other files.
 */
export function grepPage(
  found: readonly FileHits[],
  { page, maxMatches, characters }: PageOptions,
): readonly string[] {
  const files = found.toSorted((a, b) => a.count - b.count || (a.path < b.path ? -1 : 1));
  const total = files.reduce((sum, { count }) => sum + count, 0);
  const hits = inTurns(files);
  const size = hits.reduce((sum, { hit }) => sum + sizeOf(hit), 0);
  const isAll = hits.length === total && total <= maxMatches && size <= characters;
  const room = isAll ? characters : Math.floor(characters * (1 - countsShare)) - frameCharacters;
  const { start, end } = pageOf(hits, { page, maxMatches, characters: room });
  if (start === end) return [`[There is no page ${page}: the ${total} matches end before it]`];
  const shown = hits.slice(start, end);
  const lines = shownLines(shown, room);
  if (isAll) return lines;
  const left = total - end;
  return [
    countsLine(files, total, Math.floor(characters * countsShare)),
    ...lines,
    ...(left > 0 ? [`[${left} more: go on with page ${page + 1}, or search more narrowly]`] : []),
  ];
}

/** The first match of every file, then the second of those that have one, and so on. */
function inTurns(files: readonly FileHits[]): readonly Turn[] {
  const turns = files.flatMap((file) => file.hits.map((hit, at) => ({ file, hit, number: at + 1 })));
  return turns.toSorted((a, b) => a.number - b.number);
}

function sizeOf({ lines }: Hit): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Returns which turns a page has. Pages before it are filled the same way, so that they join without a gap. */
function pageOf(turns: readonly Turn[], { page, maxMatches, characters }: PageOptions) {
  let [start, used] = [0, 0];
  let current = 1;
  let onPage = new Set<FileHits>();
  for (const [index, turn] of turns.entries()) {
    const { file, hit } = turn;
    const size = sizeOf(hit) + (onPage.has(file) ? 0 : rangeLine(file, [turn]).length + 10);
    if (index > start && (index - start === maxMatches || used + size > characters)) {
      if (current === page) return { start, end: index };
      [start, used, onPage] = [index, 0, new Set()];
      current++;
    }
    used += size;
    onPage.add(file);
  }
  return current === page ? { start, end: turns.length } : { start: 0, end: 0 };
}

/** The files outside the conversation one after the other, then the conversation; what is left out of each file is said. */
function shownLines(shown: readonly Turn[], room: number): readonly string[] {
  const text = (turns: readonly Turn[]) => turns.flatMap((turn) => fitted(turn, room));
  const own = (file: FileHits) => shown.filter((turn) => turn.file === file);
  const range = (file: FileHits) => (own(file).length === file.count ? [] : [rangeLine(file, own(file))]);
  const files = [...new Set(shown.map(({ file }) => file))].toSorted((a, b) => a.count - b.count);
  const conversation = shown.filter(({ file }) => isTold(file)).toSorted((a, b) => byPlace(a.hit, b.hit));
  return [
    ...files.flatMap((file) => (isTold(file) ? [] : [...text(own(file)), ...range(file)])),
    ...text(conversation),
    ...files.flatMap((file) => (isTold(file) ? range(file) : [])),
  ];
}

function isTold({ hits }: FileHits): boolean {
  return hits[0]?.place !== undefined;
}

/** A single match that is larger than a page loses the lines around it. */
function fitted({ file, hit }: Turn, room: number): readonly string[] {
  if (sizeOf(hit) <= room) return hit.lines;
  const line = hit.lines.find((one) => one.startsWith(`${file.path}:`)) ?? "";
  return [clipText(line, room)];
}

function rangeLine({ path, count }: FileHits, own: readonly Turn[]): string {
  const [first = 0, last = 0] = [own[0]?.number, own.at(-1)?.number];
  return `[${path}: ${first === last ? `match ${first}` : `matches ${first}-${last}`} of ${count}]`;
}

function countsLine(files: readonly FileHits[], total: number, characters: number): string {
  let used = 0;
  const parts = files.map(({ path, count }) => `${path} ${count}`);
  const cut = parts.findIndex((part) => (used += part.length + 2) > characters);
  const named = cut < 0 ? parts : [...parts.slice(0, cut), `${parts.length - cut} files with more`];
  return `[${total} matches in ${files.length} files: ${named.join(", ")}]`;
}

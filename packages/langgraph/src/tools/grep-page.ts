import { clipText } from "@palimpsest/context/internal";
import { byPlace } from "./conversation-order.js";
import { fittingCharacters, type ResultRoom } from "./result-room.js";
import type { FileHits, Hit } from "./grep-hits.js";

/** Characters of the text around a page that says how many matches there are and how to go on, without the list of files. */
const frameCharacters = 170;
/** Share of a result for the list of files and their counts. */
const countsShare = 0.1;

/** A match and its number in its file, from 1. */
interface Turn {
  readonly file: FileHits;
  readonly number: number;
  readonly hit: Hit;
  /** Characters that its lines count as, see {@link ResultRoom}. */
  readonly size: number;
}

interface PageOptions extends ResultRoom {
  readonly page: number;
  /** Matches on a page. */
  readonly maxMatches: number;
}

/**
 * Returns the lines of a page; only the matches if all fit on the first page. Pure.
 *
 * Files take turns to fill a page. It shows the matches of other files first, then those of the conversation in its order.
 */
export function grepPage(
  found: readonly FileHits[],
  { page, maxMatches, characters, sizeOf }: PageOptions,
): readonly string[] {
  const files = found.toSorted((a, b) => a.count - b.count || (a.path < b.path ? -1 : 1));
  const total = files.reduce((sum, { count }) => sum + count, 0);
  const hits = inTurns(files, sizeOf);
  const used = hits.reduce((sum, { size }) => sum + size, 0);
  const isAll = hits.length === total && total <= maxMatches && used <= characters;
  const left = isAll ? characters : Math.floor(characters * (1 - countsShare)) - frameCharacters;
  const room = { characters: left, sizeOf };
  const { start, end } = pageOf(hits, { page, maxMatches, ...room });
  if (start === end) return [`[There is no page ${page}: the ${total} matches end before it]`];
  const shown = hits.slice(start, end);
  const lines = shownLines(shown, room);
  if (isAll) return lines;
  const more = total - end;
  return [
    countsLine(files, total, { characters: characters * countsShare, sizeOf }),
    ...lines,
    ...(more > 0 ? [`[${more} more: go on with page ${page + 1}, or search more narrowly]`] : []),
  ];
}

/** Returns the first match of every file, then the second of every file, and so on. */
function inTurns(files: readonly FileHits[], sizeOf: ResultRoom["sizeOf"]): readonly Turn[] {
  const size = ({ lines }: Hit) => sizeOf(lines.join("\n")) + 1;
  const turns = files.flatMap((file) =>
    file.hits.map((hit, at) => ({ file, hit, number: at + 1, size: size(hit) })),
  );
  return turns.toSorted((a, b) => a.number - b.number);
}

/** Returns the matches of a page. All pages are filled in the same way, so that there is no gap between them. */
function pageOf(turns: readonly Turn[], { page, maxMatches, characters, sizeOf }: PageOptions) {
  let [start, used] = [0, 0];
  let current = 1;
  let onPage = new Set<FileHits>();
  for (const [index, turn] of turns.entries()) {
    const { file } = turn;
    const size = turn.size + (onPage.has(file) ? 0 : sizeOf(rangeLine(file, [turn])) + 10);
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

/**
 * Returns the lines of the files outside the conversation, then those of the conversation, with the number of omitted matches
 * of each file.
 */
function shownLines(shown: readonly Turn[], room: ResultRoom): readonly string[] {
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

/** Returns the lines of a match. One that is larger than a page loses the lines around it. */
function fitted({ file, hit, size }: Turn, room: ResultRoom): readonly string[] {
  if (size <= room.characters) return hit.lines;
  const line = hit.lines.find((one) => one.startsWith(`${file.path}:`)) ?? "";
  return [clipText(line, fittingCharacters(line, room))];
}

function rangeLine({ path, count }: FileHits, own: readonly Turn[]): string {
  const [first = 0, last = 0] = [own[0]?.number, own.at(-1)?.number];
  return `[${path}: ${first === last ? `match ${first}` : `matches ${first}-${last}`} of ${count}]`;
}

function countsLine(files: readonly FileHits[], total: number, { characters, sizeOf }: ResultRoom): string {
  let used = 0;
  const parts = files.map(({ path, count }) => `${path} ${count}`);
  const cut = parts.findIndex((part) => (used += sizeOf(part) + 2) > characters);
  const named = cut < 0 ? parts : [...parts.slice(0, cut), `${parts.length - cut} files with more`];
  return `[${total} matches in ${files.length} files: ${named.join(", ")}]`;
}

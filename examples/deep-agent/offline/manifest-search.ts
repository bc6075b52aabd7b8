import { type Known, readFactLine } from "./ledger.js";
import { entryBookmark, searchLargeManifest } from "./large-manifest.js";
import { readEntryValue, readManifest } from "./manifest.js";
import { literal, offloadedTo, readMatches } from "./read-result.js";
import { type Finding } from "./finding.js";
import { type Call, type Exchange, type Thread, argument, exchangesOf } from "./thread.js";

/** The ledger's bookmarks: where in the archive the manifest starts, or a subagent's report, as `path:line`. */
export const bookmark = "found at";
export const reportBookmark = "reported at";

const manifestKeys = ["licence", "version", "entry"];
const pageLines = 100;
const entryLines = 15;
/** A subagent's report is a line for its name and one for each of six facts. */
const reportLines = 7;

/** Returns what a `read_source` of a package.json tells; a bookmark when the result was offloaded. */
export function readManifestResult(result: string): Known {
  const path = offloadedTo(result);
  return path === undefined ? readManifest(result).known : { [bookmark]: `${path}:1` };
}

/** Returns the search in the archive for the manifest of a package, or for a subagent's report on it. */
export function manifestSearch(name: string): Call {
  const pattern = `(?:==> ${literal(name)}/package\\.json \\([0-9]+ bytes\\) <==|Report on ${literal(name)}:$)`;
  return { name: "grep", args: { pattern, path: "/context/", regex: true } };
}

/** Returns a bookmark from the answer to `manifestSearch`, or undefined when the exchange is another or found nothing. */
export function readManifestSearch(exchange: Exchange, name: string): Known | undefined {
  if (exchange.tool !== "grep") return undefined;
  if (argument(exchange, "pattern") !== manifestSearch(name).args["pattern"]) return undefined;
  // Other results quote these lines; the original is the first, at the start of its line. A result with a file of its
  // own begins in line 1, and what the history holds of it is only a preview.
  const matches = readMatches(exchange).filter(
    ({ path, text }) => !path.endsWith(".jsonl") && /^(?:==>|Report on) /.test(text),
  );
  const own = matches.find(({ path, line }) => line === 1 && path.startsWith("/context/results/"));
  const match = own ?? matches.find(({ path }) => path.startsWith("/context/history/"));
  if (match === undefined) return undefined;
  const key = match.text.startsWith("Report on") ? reportBookmark : bookmark;
  return { [key]: `${match.path}:${match.line}` };
}

/**
 * Returns what the pages in view tell about a bookmarked manifest, and the call for the next page while facts are missing.
 * Undefined when there is nothing to look up.
 */
export function continueManifest(thread: Thread, known: Known): Finding | undefined {
  if (manifestKeys.every((key) => known[key] !== undefined)) return undefined;
  if (known[reportBookmark] !== undefined)
    return readOn(thread, placeIn(known[reportBookmark]), { limit: reportLines, read: reportFacts });
  if (known[entryBookmark] !== undefined)
    return readOn(thread, placeIn(known[entryBookmark]), { limit: entryLines, read: entryIn });
  const place = placeIn(known[bookmark]);
  if (place?.path.startsWith("/context/results/") !== true)
    return readOn(thread, place, { limit: pageLines, read: manifestFacts });
  const finding = searchLargeManifest(thread, place.path);
  if (finding.known[entryBookmark] === undefined) return finding;
  const { known: entry, calls } = continueManifest(thread, { ...known, ...finding.known }) ?? finding;
  return { known: { ...finding.known, ...entry }, calls };
}

interface Reading {
  /** Lines of a page. */
  readonly limit: number;
  readonly read: (text: string) => Known;
}

/** What the lines in view tell from a place on, and the call for the next page unless they tell enough. */
function readOn(thread: Thread, place: Place | undefined, { limit, read }: Reading): Finding | undefined {
  if (place === undefined) return undefined;
  const { text, next, isEnd } = linesInView(thread, place.path, place.line);
  const known = read(text);
  if (known["entry"] !== undefined || isEnd) return { known, calls: [] };
  return { known, calls: [{ name: "read_file", args: { path: place.path, offset: next - 1, limit } }] };
}

interface Place {
  readonly path: string;
  readonly line: number;
}

function placeIn(place: string | undefined): Place | undefined {
  const match = /^(.*):(\d+)$/.exec(place ?? "");
  return match === null ? undefined : { path: match[1] ?? "", line: Number(match[2]) };
}

function entryIn(text: string): Known {
  const entry = readEntryValue(text);
  return entry === undefined ? {} : { entry };
}

/** The facts in a manifest, once all of them are there. */
function manifestFacts(text: string): Known {
  const { known } = readManifest(text);
  return manifestKeys.every((key) => known[key] !== undefined) ? known : {};
}

/** The facts in a subagent's report, once all of them are there. */
function reportFacts(text: string): Known {
  const lines = text.split("\n").slice(0, reportLines);
  return lines.length < reportLines ? {} : (Object.assign({}, ...lines.map(readFactLine)) as Known);
}

/** The lines of a file from `start` (1-based) as far as the `read_file` results in view show them without a gap. */
function linesInView(
  thread: Thread,
  path: string,
  start: number,
): { text: string; next: number; isEnd: boolean } {
  const lines = new Map<number, string>();
  let total = Infinity;
  for (const exchange of exchangesOf(thread)) {
    if (exchange.tool !== "read_file" || argument(exchange, "path") !== path) continue;
    const [header = "", ...body] = exchange.result.split("\n");
    const match = /lines (\d+)-(\d+) of (\d+)/.exec(header);
    if (match === null) continue;
    const [first, last] = [Number(match[1]), Number(match[2])];
    total = Number(match[3]);
    for (let line = first; line <= last; line++) lines.set(line, body[line - first] ?? "");
  }
  const text: string[] = [];
  let next = start;
  while (lines.has(next)) text.push(lines.get(next++) ?? "");
  return { text: text.join("\n"), next, isEnd: next > total };
}

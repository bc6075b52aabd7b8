import { type Call, type Exchange, argument } from "./thread.js";
import { isCutShort, literal, offloadedTo, readMatches } from "./read-result.js";
import { type Finding } from "./finding.js";

/** Lines of one page of an offloaded search: they are many of one package, and one is enough. */
const pageMatches = 25;

/** Returns the searches that together find every import of a package. */
export function importSearches(name: string): Call[] {
  return ['from "', "from '", 'require("', "require('"].map((opening) => ({
    name: "search_code",
    args: { text: `${opening}${name}` },
  }));
}

/** True for a search of `importSearches`. */
export function isImportSearch(exchange: Exchange): boolean {
  return exchange.tool === "search_code" && /^(?:from |require\()/.test(argument(exchange, "text"));
}

/** Returns the importers of `name` in a search result, or the next step through an offloaded one. */
export function readImportSearch(exchange: Exchange, name: string, audited: readonly string[]): Finding {
  const others = audited.filter((each) => each !== name);
  const path = offloadedTo(exchange.result);
  if (path !== undefined) return { known: {}, calls: [grepImporters(path, name, others)] };
  return { known: importersIn(exchange.result.split("\n"), name, others), calls: [] };
}

/** True for a search of `grepImporters`. */
export function isImporterGrep(exchange: Exchange): boolean {
  return exchange.tool === "grep" && argument(exchange, "pattern").startsWith("^(?:");
}

/**
 * Returns the importers in one page of an offloaded search result, and the search for the packages after the last one:
 * results are sorted by package, so each search skips the packages that are known already.
 */
export function readImporterGrep(exchange: Exchange, name: string, audited: readonly string[]): Finding {
  const lines = readMatches(exchange).map((match) => match.text);
  const pattern = argument(exchange, "pattern");
  const candidates = new Set(/^\^\(\?:(.*?)\)/.exec(pattern)?.[1]?.split("|"));
  const asked = audited.filter((each) => candidates.has(`${literal(each)}/`));
  const seen = asked.filter((each) => lines.some((line) => line.startsWith(`${each}/`)));
  const last = seen.toSorted().at(-1);
  const isAll = last === undefined || !isCutShort(exchange.result);
  const rest = isAll ? [] : asked.filter((each) => each > last);
  return {
    known: seen.length === 0 ? {} : { "imported by": seen.toSorted().join(", ") },
    calls: rest.length === 0 ? [] : [grepImporters(argument(exchange, "path"), name, rest)],
  };
}

function grepImporters(path: string, name: string, candidates: readonly string[]): Call {
  const names = candidates.map((each) => `${literal(each)}/`).join("|");
  const pattern = `^(?:${names}).*(?:from |require\\()["']${literal(name)}["'/]`;
  return { name: "grep", args: { pattern, path, regex: true, max_matches: pageMatches } };
}

function importersIn(lines: readonly string[], name: string, others: readonly string[]): Finding["known"] {
  const imports = new RegExp(`(?:from |require\\()["']${literal(name)}["'/]`);
  const found = others.filter((each) =>
    lines.some((line) => line.startsWith(`${each}/`) && imports.test(line)),
  );
  return found.length === 0 ? {} : { "imported by": found.toSorted().join(", ") };
}

/** Two comma-separated lists of names as one, sorted, each name once. */
export function joinNames(a: string | undefined, b: string | undefined): string {
  const names = [a, b].flatMap((list) => (list === undefined || list === "-" ? [] : list.split(", ")));
  return names.length === 0 ? "-" : [...new Set(names)].toSorted().join(", ");
}

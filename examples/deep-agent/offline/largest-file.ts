import { type Call, type Exchange, argument } from "./thread.js";
import { isCutShort, offloadedTo, readMatches } from "./read-result.js";
import { type Finding } from "./finding.js";

/** Digits of a file size, as a regular expression counts them, from the largest files down. */
const widths = ["7,", "6", "5", "4", "3", "1,2"];

/** Returns the largest file in a `list_files` result, or the first of the searches that find it in an offloaded one. */
export function readListing(exchange: Exchange): Finding {
  const path = offloadedTo(exchange.result);
  if (path !== undefined) return { known: {}, calls: [sizeSearch(path, ofWidth(widths[0]))] };
  const largest = largestOf(exchange.result.split("\n"));
  return { known: largest === undefined ? {} : { largest }, calls: [] };
}

/** True for a search of `readListing`. */
export function isSizeSearch(exchange: Exchange): boolean {
  return exchange.tool === "grep" && /^\^\d?\[0-9\]/.test(argument(exchange, "pattern"));
}

/** Returns the largest file from the answer to a size search, or the next search: for smaller files, or fewer of them. */
export function readSizeSearch(exchange: Exchange): Finding {
  const pattern = argument(exchange, "pattern");
  const largest = largestOf(readMatches(exchange).map((match) => match.text));
  const width = widths.find((each) => ofWidth(each) === pattern);
  const isTooMany = isCutShort(exchange.result) && width !== undefined && width.length === 1;
  if (largest !== undefined && !isTooMany) return { known: { largest }, calls: [] };
  const next = isTooMany ? `^9[0-9]{${Number(width) - 1}} ` : smaller(pattern, width);
  return { known: {}, calls: next === undefined ? [] : [sizeSearch(argument(exchange, "path"), next)] };
}

function ofWidth(width: string | undefined): string {
  return `^[0-9]{${width}} `;
}

/** The pattern for the sizes just below those of a pattern that matched nothing. */
function smaller(pattern: string, width: string | undefined): string | undefined {
  if (width !== undefined) {
    const next = widths[widths.indexOf(width) + 1];
    return next === undefined ? undefined : ofWidth(next);
  }
  const [, digit = "1", rest = ""] = /^\^(\d)(.*)$/.exec(pattern) ?? [];
  return digit === "1" ? undefined : `^${Number(digit) - 1}${rest}`;
}

function sizeSearch(path: string, pattern: string): Call {
  return { name: "grep", args: { pattern, path, regex: true } };
}

/** The largest of lines such as `1234 src/index.ts`, as `src/index.ts 1234`; the first of equals. */
function largestOf(lines: readonly string[]): string | undefined {
  let best: { path: string; bytes: number } | undefined;
  for (const line of lines) {
    const match = /^(\d+) (.+)$/.exec(line);
    const bytes = Number(match?.[1]);
    if (match !== null && bytes > (best?.bytes ?? -1)) best = { path: match[2] ?? "", bytes };
  }
  return best === undefined ? undefined : `${best.path} ${best.bytes}`;
}

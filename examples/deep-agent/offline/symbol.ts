import { type Call, type Exchange, argument } from "./thread.js";
import { offloadedTo, readMatches } from "./read-result.js";
import { type Finding } from "./finding.js";
import { type Subject } from "./request.js";

const opening = "(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:class|function) ";

/** Returns the search for the symbol of a package. */
export function symbolSearch({ name, symbol }: Subject): Call {
  return { name: "search_code", args: { text: symbol, package: name } };
}

/** True for a search of `symbolSearch`. */
export function isSymbolSearch(exchange: Exchange, subject: Subject): boolean {
  return exchange.tool === "search_code" && argument(exchange, "text") === subject.symbol;
}

/** Returns where the symbol is defined, or the search that finds it in an offloaded result. */
export function readSymbolSearch(exchange: Exchange, subject: Subject): Finding {
  const path = offloadedTo(exchange.result);
  if (path !== undefined) {
    const pattern = `:[0-9]+: ${opening}${subject.symbol}(?:[^0-9A-Za-z_$]|$)`;
    return { known: {}, calls: [{ name: "grep", args: { pattern, path, regex: true } }] };
  }
  return { known: definitionIn(exchange.result.split("\n"), subject), calls: [] };
}

/** True for the search that `readSymbolSearch` asks for. */
export function isSymbolGrep(exchange: Exchange): boolean {
  return exchange.tool === "grep" && argument(exchange, "pattern").startsWith(":[0-9]+: ");
}

/** Returns where the symbol is defined by the answer to that search. */
export function readSymbolGrep(exchange: Exchange, subject: Subject): Finding {
  const lines = readMatches(exchange).map((match) => match.text);
  return { known: definitionIn(lines, subject), calls: [] };
}

/** The first line that defines the symbol, as `path:line`. Lines read `package/path:line: text`. */
function definitionIn(lines: readonly string[], { name, symbol }: Subject): Finding["known"] {
  const definition = new RegExp(`^(.+?):(\\d+): ${opening}${symbol}(?![\\w$])`);
  for (const line of lines) {
    const match = line.startsWith(`${name}/`) ? definition.exec(line) : null;
    if (match !== null) return { symbol: `${(match[1] ?? "").slice(name.length + 1)}:${match[2]}` };
  }
  return {};
}

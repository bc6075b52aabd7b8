import {
  importSearches,
  isImporterGrep,
  isImportSearch,
  joinNames,
  readImporterGrep,
  readImportSearch,
} from "./importers.js";
import { type Finding } from "./finding.js";
import { type Known, type Ledger } from "./ledger.js";
import { isSizeSearch, readListing, readSizeSearch } from "./largest-file.js";
import { continueManifest, readManifestResult } from "./manifest-search.js";
import { type Request, type Subject } from "./request.js";
import { isSymbolGrep, isSymbolSearch, readSymbolGrep, readSymbolSearch, symbolSearch } from "./symbol.js";
import { type Call, type Exchange, type Thread, argument, lastTurn } from "./thread.js";

/** The next step of the research on one package: its ledger, and calls; without calls it is finished. */
export interface ResearchStep {
  readonly ledger: Ledger;
  readonly calls: readonly Call[];
}

const stages = ["reading the manifest of", "searching the code for", "reading sources of"] as const;

/** Returns the first step of the research on a package. */
export function startResearch({ name }: Subject): ResearchStep {
  const calls = [
    { name: "read_source", args: { package: name, file: "package.json" } },
    { name: "list_files", args: { package: name } },
  ];
  return { ledger: ledgerFor(name, stages[0], {}), calls };
}

/** True while the model's words say that it is in the middle of a package. */
export function isResearching(ledger: Ledger | undefined): ledger is Ledger {
  return ledger !== undefined && ledger.known.size === 1 && /^(?:reading|searching)/.test(ledger.activity);
}

/** Returns the next step from the model's last words and the results that followed them. Pure. */
export function continueResearch(thread: Thread, ledger: Ledger, request: Request): ResearchStep {
  const [name = "", before = {}] = [...ledger.known][0] ?? [];
  const subject = request.subjects.find((each) => each.name === name) ?? { name, symbol: "" };
  const finding = readTurn(thread, before, { subject, request });
  const known = finding.known;
  if (ledger.activity.startsWith(stages[0])) {
    const entry = known["entry"]?.replace(/^\.\//, () => "");
    const calls = [
      ...finding.calls,
      ...importSearches(name),
      symbolSearch(subject),
      { name: "read_source", args: { package: name, file: "README.md" } },
      ...(entry === undefined ? [] : [readSource(name, entry)]),
    ];
    return { ledger: ledgerFor(name, stages[1], known), calls };
  }
  if (finding.calls.length > 0)
    return { ledger: { ...ledger, known: new Map([[name, known]]) }, calls: finding.calls };
  if (ledger.activity.startsWith(stages[1])) {
    const calls = interestingFiles(known).map((file) => readSource(name, file));
    return { ledger: ledgerFor(name, stages[2], known), calls };
  }
  return { ledger: ledgerFor(name, stages[2], known), calls: [] };
}

function ledgerFor(name: string, activity: string, known: Known): Ledger {
  return { activity: `${activity} ${name}`, known: new Map([[name, known]]) };
}

function readSource(name: string, file: string): Call {
  return { name: "read_source", args: { package: name, file } };
}

/** The files worth a look: where the symbol is defined, and the largest one unless it is a source map. */
function interestingFiles(known: Known): string[] {
  const defined = known["symbol"]?.replace(/:\d+$/, () => "");
  const largest = known["largest"]?.replace(/ \d+$/, () => "");
  const files = [defined, largest?.endsWith(".map") ? undefined : largest];
  return [...new Set(files)].filter((file) => file !== undefined && file !== "package.json") as string[];
}

interface Research {
  readonly subject: Subject;
  readonly request: Request;
}

function readTurn(thread: Thread, before: Known, { subject, request }: Research): Finding {
  const turn = lastTurn(thread).exchanges;
  const findings = turn.map((exchange) => readExchange(exchange, subject, request));
  let known = before;
  for (const finding of findings) known = merge(known, finding.known);
  // A subagent answers with all facts, so it reads on where the manifest was too large to come whole.
  const manifest = request.kind === "research" ? continueManifest(thread, known) : undefined;
  if (manifest !== undefined) known = merge(known, manifest.known);
  const calls = [...findings.flatMap((finding) => finding.calls), ...(manifest?.calls ?? [])];
  return { known, calls };
}

function readExchange(exchange: Exchange, subject: Subject, request: Request): Finding {
  const { name } = subject;
  if (exchange.tool === "list_files") return readListing(exchange);
  if (exchange.tool === "read_source" && argument(exchange, "file") === "package.json") {
    const known = readManifestResult(exchange.result);
    // The audit leaves licence and version to the archive: it looks them up when it writes the report.
    return request.kind === "research"
      ? { known, calls: [] }
      : { known: known["entry"] === undefined ? {} : { entry: known["entry"] }, calls: [] };
  }
  if (isSizeSearch(exchange)) return readSizeSearch(exchange);
  if (isImportSearch(exchange)) return readImportSearch(exchange, name, request.audited);
  if (isImporterGrep(exchange)) return readImporterGrep(exchange, name, request.audited);
  if (isSymbolSearch(exchange, subject)) return readSymbolSearch(exchange, subject);
  if (isSymbolGrep(exchange)) return readSymbolGrep(exchange, subject);
  return { known: {}, calls: [] };
}

function merge(known: Known, more: Known): Known {
  const importers = more["imported by"];
  if (importers === undefined) return { ...known, ...more };
  return { ...known, ...more, "imported by": joinNames(known["imported by"], importers) };
}

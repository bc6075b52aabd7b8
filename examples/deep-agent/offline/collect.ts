import { type Known, type Ledger, factNames, readFactLine } from "./ledger.js";
import { readManifest } from "./manifest.js";
import {
  bookmark,
  continueManifest,
  manifestSearch,
  readManifestSearch,
  reportBookmark,
} from "./manifest-search.js";
import { offloadedTo, readMatches } from "./read-result.js";
import { type ResearchStep } from "./research.js";
import { type Subject } from "./request.js";
import { type Call, type Exchange, type Thread, argument, exchangesOf, lastTurn } from "./thread.js";

const activity = "collecting facts for the report";

/** Returns the path of the note about a package. */
export function notePath(name: string): string {
  return `/notes/${name.replaceAll("/", () => "--").replaceAll("@", () => "")}.md`;
}

/** Returns the first step of collecting the facts of some packages. */
export function startCollect(thread: Thread, subjects: readonly Subject[]): ResearchStep {
  const known = new Map(subjects.map(({ name }): [string, Known] => [name, {}]));
  return continueCollect(thread, { activity, known });
}

/** True while the model's words say that it is collecting facts. */
export function isCollecting(ledger: Ledger | undefined): ledger is Ledger {
  return ledger?.activity === activity;
}

/**
 * Returns the next step of collecting: facts that are in view are taken from there, the others are looked up, in the notes
 * and in the archive of the context. A fact that is in neither stays unknown.
 */
export function continueCollect(thread: Thread, ledger: Ledger): ResearchStep {
  const known = new Map<string, Known>();
  const calls: Call[] = [];
  for (const [name, before] of ledger.known) {
    const step = collectOne(thread, name, before);
    known.set(name, step.known);
    calls.push(...step.calls);
  }
  return { ledger: { activity, known }, calls };
}

function collectOne(thread: Thread, name: string, before: Known): { known: Known; calls: Call[] } {
  let known: Known = { ...fromView(thread, name), ...before };
  const calls: Call[] = [];
  const turn = lastTurn(thread).exchanges;
  const asked = (call: Call) => turn.find((each) => argument(each, "pattern") === call.args["pattern"]);
  if (isMissing(known, ["largest", "imported by", "symbol"])) {
    const call = noteSearch(name);
    const answer = turn.find((each) => argument(each, "path") === call.args["path"]);
    if (answer === undefined) calls.push(call);
    else known = { ...unknown(["largest", "imported by", "symbol"]), ...factsIn(answer), ...known };
  }
  if (isMissing(known, ["licence", "version", "entry"])) {
    const call = manifestSearch(name);
    const answer = asked(call);
    const isFound = known[bookmark] !== undefined || known[reportBookmark] !== undefined;
    if (!isFound && answer === undefined) return { known, calls: [...calls, call] };
    if (!isFound && answer !== undefined)
      known = { ...(readManifestSearch(answer, name) ?? unknown(["licence", "version", "entry"])), ...known };
    const finding = continueManifest(thread, known);
    known = { ...known, ...finding?.known };
    calls.push(...(finding?.calls ?? []));
    if (finding !== undefined && finding.calls.length === 0)
      known = { ...unknown(["licence", "version", "entry"]), ...known };
  }
  return { known, calls };
}

function isMissing(known: Known, keys: readonly string[]): boolean {
  return keys.some((key) => known[key] === undefined);
}

function unknown(keys: readonly string[]): Known {
  return Object.fromEntries(keys.map((key) => [key, "unknown"]));
}

/** The facts that a whole manifest or a subagent's report in view tells. */
function fromView(thread: Thread, name: string): Known {
  const exchanges = exchangesOf(thread);
  const manifest = exchanges.findLast(
    (each) =>
      each.tool === "read_source" &&
      argument(each, "package") === name &&
      argument(each, "file") === "package.json" &&
      each.result.startsWith("==> "),
  );
  const report = exchanges.findLast(
    (each) => each.tool === "task" && each.result.startsWith(`Report on ${name}:`),
  );
  return {
    ...(manifest === undefined || offloadedTo(manifest.result) ? {} : readManifest(manifest.result).known),
    ...(report === undefined ? {} : onlyFacts(report.result.split("\n"))),
  };
}

function noteSearch(name: string): Call {
  return {
    name: "grep",
    args: { pattern: "^- (?:largest|imported by|symbol): ", path: notePath(name), regex: true },
  };
}

function factsIn(answer: Exchange): Known {
  return onlyFacts(readMatches(answer).map((match) => match.text));
}

/** The facts among some lines, the first of each name. */
export function onlyFacts(lines: readonly string[]): Known {
  const found: Record<string, string> = {};
  for (const line of lines)
    for (const [key, value] of Object.entries(readFactLine(line)))
      if ((factNames as readonly string[]).includes(key)) found[key] ??= value;
  return found;
}

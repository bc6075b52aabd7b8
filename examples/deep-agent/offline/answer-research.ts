import { type Known, factLines, factNames, readLedger, sayLedger } from "./ledger.js";
import { type Request } from "./request.js";
import { continueResearch, isResearching, startResearch } from "./research.js";
import { type Reply, type Thread, lastTurn } from "./thread.js";

/** Returns the next step of a subagent that researches one package, at the end its report. Pure. */
export function answerResearch(thread: Thread, request: Request): Reply {
  const subject = request.subjects[0];
  if (subject === undefined) return { text: "The request names no package to research.", calls: [] };
  const ledger = readLedger(lastTurn(thread).said);
  const step = isResearching(ledger) ? continueResearch(thread, ledger, request) : startResearch(subject);
  if (step.calls.length > 0) return { text: sayLedger(step.ledger), calls: step.calls };
  return { text: report(subject.name, step.ledger.known.get(subject.name) ?? {}), calls: [] };
}

function report(name: string, known: Known): string {
  const facts = factNames.map((key): [string, string] => [
    key,
    known[key] ?? (key === "imported by" ? "-" : "unknown"),
  ]);
  return [`Report on ${name}:`, ...factLines(Object.fromEntries(facts))].join("\n");
}

import { continueCollect, isCollecting, onlyFacts, startCollect } from "./collect.js";
import { compressCall, isBusy } from "./compress.js";
import { type Ledger, readLedger, sayLedger } from "./ledger.js";
import { writeDraft, writeNote } from "./note.js";
import { addRows, endReport, readRows, reportInView, reportPath, startReport } from "./report.js";
import { type Request, type Subject, researchRequest } from "./request.js";
import { type ResearchStep, continueResearch, isResearching, startResearch } from "./research.js";
import { type Call, type Reply, type Thread, lastTurn } from "./thread.js";
import { donePackages, writeTodos } from "./todos.js";
import { type Workbench } from "./workbench.js";

/** Every sixth package goes to a subagent. */
const delegateEvery = 6;
/** Packages whose facts are collected together when the report is written. */
const batchSize = 4;

/** Returns the next step of an audit. Pure: everything it knows is in the thread. */
export function audit(thread: Thread, request: Request, bench: Workbench): Reply {
  const last = lastTurn(thread);
  if (thread.turns.length === 0) return plan(request);
  const ledger = readLedger(last.said);
  if (isResearching(ledger)) return research(thread, request, ledger);
  if (isCollecting(ledger)) return collect(continueCollect(thread, ledger));
  const done = donePackages(thread, request);
  if (done === undefined)
    return reply("Where was I? The notes tell.", [{ name: "ls", args: { path: "/notes" } }]);
  if (reportInView(thread)?.isEnded === true)
    return reply(
      `The audit of ${request.subjects.length} packages is done. The report is in ${reportPath}.`,
      [],
    );
  const compress = compressCall(thread, bench, done.size);
  if (compress !== undefined) return reply("A good moment to tidy up.", [compress]);
  const next = request.subjects.find(({ name }) => !done.has(name));
  return next === undefined ? report(thread, request, done) : begin({ request, done, next }, bench);
}

function plan(request: Request): Reply {
  const text = `I audit ${request.subjects.length} packages one by one, keep notes, and write the report at the end.`;
  return reply(text, [writeTodos(request, new Set()), { name: "list_packages", args: {} }]);
}

interface Begin {
  readonly request: Request;
  readonly done: ReadonlySet<string>;
  readonly next: Subject;
}

function begin({ request, done, next }: Begin, bench: Workbench): Reply {
  const todos = writeTodos(request, done, next);
  const index = request.subjects.indexOf(next);
  const delegate = bench.tools.has("task") && index % delegateEvery === delegateEvery - 1;
  if (!delegate) return say(startResearch(next), [todos]);
  const known = new Map([[next.name, {}]]);
  const task = { name: "task", args: { description: researchRequest(next, request) } };
  const ledger = { activity: `reading the report of a subagent on ${next.name}`, known };
  return say({ ledger, calls: [task] }, [todos]);
}

function research(thread: Thread, request: Request, ledger: Ledger): Reply {
  const name = [...ledger.known.keys()][0] ?? "";
  const subject = request.subjects.find((each) => each.name === name) ?? { name, symbol: "" };
  const turn = lastTurn(thread);
  const sources = { thread, quotesAll: isBusy(donePackages(thread, request)?.size ?? 0) };
  const report = turn.exchanges.find((exchange) => exchange.tool === "task");
  if (report !== undefined)
    return note(subject, [writeNote(subject, onlyFacts(report.result.split("\n")), sources)]);
  const step = continueResearch(thread, ledger, request);
  if (step.calls.length > 0) return say(step, sources.quotesAll ? [writeDraft(subject, thread)] : []);
  return note(subject, [writeNote(subject, step.ledger.known.get(name) ?? {}, sources)]);
}

function note({ name }: Subject, calls: Call[]): Reply {
  return reply(`That is what I need about ${name}; I keep a note.`, calls);
}

function report(thread: Thread, request: Request, done: ReadonlySet<string>): Reply {
  const state = reportInView(thread);
  if (state === undefined)
    return reply("All packages are researched. Is there a report already?", [
      writeTodos(request, done, "report"),
      readRows(),
    ]);
  if (!state.isStarted) return reply("I start the report.", [startReport()]);
  const missing = request.subjects.filter(({ name }) => !state.rows.has(name));
  if (missing.length > 0) return collect(startCollect(thread, missing.slice(0, batchSize)));
  return reply("Every package has its row.", [
    endReport(request.subjects.length),
    writeTodos(request, done, "nothing"),
  ]);
}

function collect(step: ResearchStep): Reply {
  if (step.calls.length > 0) return say(step);
  return reply("These facts go into the report.", [addRows(step.ledger)]);
}

function say({ ledger, calls }: ResearchStep, first: readonly Call[] = []): Reply {
  return reply(sayLedger(ledger), [...first, ...calls]);
}

function reply(text: string, calls: readonly Call[]): Reply {
  return { text, calls };
}

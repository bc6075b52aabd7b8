import type { Difference, MessageView, ReportData, ReportStep, SearchHit } from "../view.js";
import type { Source } from "./source.js";

/** Hits that are shown at most, and characters around the first word of a hit, as on a server. */
const maxHits = 200;
const around = 60;

/** Returns the data of a report that stands in the page; undefined in a page that a server has sent. */
export async function reportInPage(): Promise<ReportData | undefined> {
  const text = document.getElementById("report")?.textContent;
  if (text == null) return undefined;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as ReportData;
}

/** Returns a source that reads a report. It has one thread, and no contents of files. */
export function reportSource(report: ReportData): Source {
  const { rows, thread, window } = report;
  const messages = (positions: readonly number[]) =>
    positions.map((at) => report.messages[at] as MessageView);
  const stepAt = (id: string): ReportStep => {
    const step = report.steps[rows.findIndex((row) => row.id === id)];
    if (step === undefined) throw new Error(`The report has no checkpoint ${id}.`);
    return step;
  };
  return {
    threads: async () => [thread],
    size: async () => report.size,
    async step(_, at) {
      const { context, files } = stepAt(at);
      const row = rows.find(({ id }) => id === at)!;
      return { row, context: messages(context), files: files.map((file) => report.files[file]!) };
    },
    places: async (_, at) => stepAt(at).places,
    async open(_, __, fold) {
      const opened = report.opened[fold];
      if (opened === undefined) throw new Error(`The report has no fold ${fold}.`);
      return messages(opened);
    },
    messages: async (_, from, to) => messages(report.happened.slice(from, to)),
    async text(_, place) {
      const [message] = messages(report.happened.slice(place, place + 1));
      return { text: report.texts[place] ?? message?.text ?? "", characters: message?.characters ?? 0 };
    },
    async file() {
      throw new Error("A report holds no contents of files. Open the database with: palimpsest inspect");
    },
    sight: async (_, message) => report.sights[message] ?? [],
    bill: async () => report.usage,
    search: async (words) => search(report, words),
    diff: async (_, from, to) => differences(report, stepAt(from), stepAt(to)),
    canAct: async () => false,
    plan: readOnly,
    fork: readOnly,
    async timeline(_, onLine) {
      onLine({ type: "earlier", rows });
      onLine({ type: "whole", window });
    },
  };
}

async function readOnly(): Promise<never> {
  throw new Error("A report is read-only. Open the database with: palimpsest inspect --act");
}

/** Finds the messages that contain all words, whatever the case, newest first. */
function search(
  { thread, happened, messages, texts, steps }: ReportData,
  query: string,
): readonly SearchHit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const shown = new Set(steps.at(-1)?.context.map((at) => messages[at]?.id));
  const hits: SearchHit[] = [];
  if (words.length === 0) return hits;
  for (let place = happened.length - 1; place >= 0 && hits.length < maxHits; place--) {
    const { id, type, calls, ...message } = messages[happened[place] ?? -1] as MessageView;
    const text = [texts[place] ?? message.text, ...calls.map(({ name, args }) => `${name} ${args}`)].join(
      "\n",
    );
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    const at = lower.indexOf(words[0] ?? "");
    const excerpt = text.slice(Math.max(0, at - around), at + around);
    hits.push({ thread: thread.thread, place, type, id, isInContext: shown.has(id), excerpt });
  }
  return hits;
}

function differences(report: ReportData, before: ReportStep, after: ReportStep): readonly Difference[] {
  const named = ({ context }: ReportStep) =>
    new Map(context.map((at, index) => [report.messages[at]?.id ?? `#${index + 1}`, at]));
  const stored = ({ files }: ReportStep) => new Map(files.map((at) => [report.files[at]?.path ?? "", at]));
  const label = (at: number): string => {
    const { type, fold, text } = report.messages[at] as MessageView;
    return `${type}${fold === null ? "" : ` [${fold.kind}: ${fold.path}]`} ${text}`;
  };
  return [
    ...compare(named(before), named(after)).map(({ change, name, at }): Difference => ({
      change,
      what: "message",
      name,
      text: label(at),
    })),
    ...compare(stored(before), stored(after)).map(({ change, name }): Difference => ({
      change,
      what: "file",
      name,
      text: "",
    })),
  ];
}

function compare(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const removed = [...before].filter(([name]) => !after.has(name));
  const kept = [...after].filter(([name, at]) => before.get(name) !== at);
  return [
    ...removed.map(([name, at]) => ({ change: "removed" as const, name, at })),
    ...kept.map(([name, at]) => ({
      change: before.has(name) ? ("changed" as const) : ("added" as const),
      name,
      at,
    })),
  ];
}

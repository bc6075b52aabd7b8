import { differences, type Compared } from "../../shared/differences.js";
import { promptDifferences } from "../../shared/prompt.js";
import { speaker } from "../../shared/speaker.js";
import { maxHits, TextSearch, wordsOf } from "../../shared/text-search.js";
import type { ReportData, ReportStep } from "../../shared/report-data.js";
import type { Difference, MessageView, SearchHit, SearchView, StepRow } from "../../view.js";
import type { Source } from "./source.js";

/** Returns the data of the report in the page; undefined in a page that a server has sent. */
export async function reportInPage(): Promise<ReportData | undefined> {
  const text = document.getElementById("report")?.textContent;
  if (text == null) return undefined;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as ReportData;
}

/** Returns a source that reads a report, or a run of a subgraph in it. It has one thread, without the contents of files. */
export function reportSource(whole: ReportData, namespace = ""): Source {
  const run = namespace === "" ? whole : whole.runs[namespace];
  const report: ReportData = { ...whole, ...run };
  const { rows, thread, window } = report;
  const messages = (positions: readonly number[]) =>
    positions.map((at) => report.messages[at] as MessageView);
  const texts = textSearch(report);
  const stepAt = stepsOf(report);
  return {
    isFile: true,
    within: (part) => reportSource(whole, part.namespace),
    threads: async () => [thread],
    archives: async () => [{ ...thread, ...report.size }],
    size: async () => report.size,
    // Threads of subagents are not in the report.
    lanes: async () => report.lanes.map((lane) => ({ ...lane, thread: null })),
    // A report holds the newest branch.
    branches: async () => [],
    async step(_, at) {
      const { row, context, files, prompt } = stepAt(at);
      return { row, context: messages(context), files: files.map((file) => report.files[file]!), prompt };
    },
    places: async (_, at) => stepAt(at).places,
    async open(_, __, fold) {
      const opened = report.opened[fold];
      if (opened === undefined) throw new Error(`The report has no fold ${fold}.`);
      return messages(opened);
    },
    messages: async (_, from, to) => messages(report.happened.slice(from, to)),
    ...textsOf(report),
    sight: async (_, message) => report.sights[message] ?? [],
    ...sumsOf(report),
    search: async (words) => search({ ...report, namespace }, texts, words),
    diff: async (_, from, to) => compareSteps(report, stepAt(from), stepAt(to)),
    // A report has one thread.
    compare: async () => [],
    canAct: async () => false,
    plan: readOnly,
    fork: readOnly,
    async timeline(_, onLine) {
      if (run === undefined) throw new Error(`The report has no subgraph in the namespace ${namespace}.`);
      onLine({ type: "earlier", rows });
      onLine({ type: "whole", window });
    },
  };
}

function sumsOf(report: ReportData): Pick<Source, "rework" | "bill" | "savings" | "agents"> {
  return {
    rework: async () => report.rework,
    bill: async () => report.usage,
    savings: async () => report.savings,
    agents: async () => report.agents,
  };
}

type Texts = Pick<Source, "file" | "placeOf" | "text" | "why">;

function textsOf({ happened, messages, texts, prompts, whys }: ReportData): Texts {
  return {
    async file(_, __, path) {
      const text = prompts[path];
      return text === undefined ? noContents() : { text, characters: text.length };
    },
    async why(_, place) {
      const found = whys[place];
      if (found === undefined) throw new Error(`The report has no message ${place}.`);
      return found;
    },
    async placeOf(_, message) {
      const place = happened.findIndex((at) => messages[at]?.id === message);
      return place < 0 ? null : place;
    },
    async text(_, place, call) {
      const message = messages[happened[place] ?? -1];
      if (call === undefined)
        return { text: texts[place] ?? message?.text ?? "", characters: message?.characters ?? 0 };
      const { args, characters } = message?.calls[call] ?? { args: "", characters: 0 };
      return { text: texts[`${place}.${call}`] ?? args, characters };
    },
  };
}

/** Returns a function that returns the step of a checkpoint. */
function stepsOf({ rows, steps }: ReportData): (id: string) => ReportStep & { readonly row: StepRow } {
  const positions = new Map(rows.map(({ id }, position) => [id, position]));
  return (id) => {
    const position = positions.get(id) ?? -1;
    const [row, step] = [rows[position], steps[position]];
    if (row === undefined || step === undefined) throw new Error(`The report has no checkpoint ${id}.`);
    return { ...step, row };
  };
}

async function noContents(): Promise<never> {
  throw new Error(
    "A report does not include the contents of files. Open the database with: palimpsest inspect",
  );
}

async function readOnly(): Promise<never> {
  throw new Error("A report is read-only. Open the database with: palimpsest inspect --act");
}

function textSearch({ happened, messages, texts }: ReportData): TextSearch {
  return new TextSearch(happened.length, (place) => {
    const { text, calls } = messages[happened[place] ?? -1] as MessageView;
    return [texts[place] ?? text, ...calls.map(({ name, args }) => `${name} ${args}`)].join("\n");
  });
}

function search(
  { thread, namespace, happened, messages, steps }: ReportData & Pick<SearchHit, "namespace">,
  texts: TextSearch,
  query: string,
): SearchView {
  const words = wordsOf(query);
  if (words.length === 0) return { hits: [], unread: [] };
  const shown = new Set(steps.at(-1)?.context.map((at) => messages[at]?.id));
  const hits = texts.find(words, maxHits).map((found) => {
    const { id, type } = messages[happened[found.place] ?? -1] as MessageView;
    return { ...found, thread: thread.thread, namespace, type, id, isInContext: shown.has(id) };
  });
  return { hits, unread: [] };
}

function labelOf({ type, fold, text }: MessageView): string {
  return `${speaker(type)}${fold === null ? "" : ` [${fold.kind}: ${fold.path}]`} ${text}`;
}

function compareSteps(report: ReportData, before: ReportStep, after: ReportStep): readonly Difference[] {
  // Equal values have one position in the report.
  const messages = ({ context }: ReportStep): Compared =>
    new Map(
      context.map((whole, index) => {
        const message = report.messages[whole] as MessageView;
        return [message.id ?? `#${index + 1}`, { whole, text: labelOf(message) }];
      }),
    );
  const files = ({ files: present }: ReportStep): Compared =>
    new Map(present.map((whole) => [report.files[whole]?.path ?? "", { whole, text: "" }]));
  const promptOf = ({ prompt }: ReportStep): string => report.prompts[prompt?.path ?? ""] ?? "";
  return [
    ...promptDifferences(promptOf(before), promptOf(after)),
    ...differences(messages(before), messages(after), "message"),
    ...differences(files(before), files(after), "file"),
  ];
}

import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { type TokenCounter } from "@palimpsest/context";
import { messageText } from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import type { SummaryModel } from "../../edge/context-options.js";
import { deadline } from "../../summary/summary-call.js";
import { summaryCallOptions } from "../../summary/summary-usage.js";
import { writeArchive } from "../../edge/commit.js";
import type { Reporter } from "../../edge/reporter.js";
import { Backoff } from "../../edge/backoff.js";
import type { FormCharacters } from "./pace-options.js";

/** What the summary model is asked with, by the forms of steps and by the summaries of ranges. */
export interface WriteFormsOptions {
  readonly model: SummaryModel | undefined;
  readonly archive: Archive;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of one call. */
  readonly summaryTimeoutMs: number;
}

export interface RequestFormsOptions extends WriteFormsOptions {
  /** Steps that are summarized at once. */
  readonly summaryConcurrency: number;
  /** Returns the archive path of a step. */
  readonly pathOf: (step: number) => string;
  /** Returns how much a step weighs now; undefined for a step that needs no shorter form now. */
  readonly weightOf: (step: number) => number | undefined;
  readonly formCharacters: FormCharacters;
  readonly count: TokenCounter;
}

/** A shorter form of a step with its tokens. */
export interface StepForm {
  readonly text: string;
  readonly tokens: number;
}

export interface StepForms {
  readonly detailed: StepForm;
  readonly brief: StepForm;
}

const prompts = {
  detailed:
    "Summarize this step of an agent: what was done, every result, name, path and number that may matter later.",
  brief: "Say in one or two sentences what this step of an agent did and found.",
} as const;
type Level = keyof typeof prompts;
/** Stored forms that are read at once. */
const concurrency = 16;

/**
 * The shorter forms of the steps of one thread, written by a model in the background.
 *
 * What is written is in the archive, and read from there after a restart. A step is queued once, when it is added. The first
 * failure ends a batch; the next attempt comes after a growing number of selections, asks for one form alone, and goes on
 * only when that succeeds. A run that is aborted takes its calls with it; its steps stay in the queue.
 */
export class StepRepresentations {
  /** Forms that are written and not taken yet. */
  readonly #forms = new Map<number, StepForms>();
  /** Steps without forms, each with the times that it failed. */
  readonly #queue = new Map<number, number>();
  readonly #backoff = new Backoff();
  #running: Promise<void> | undefined;
  #isLoaded = false;

  /** Queues a step. */
  add(step: number): void {
    this.#queue.set(step, 0);
  }

  forget(step: number): void {
    this.#forms.delete(step);
    this.#queue.delete(step);
  }

  /** Returns the forms of a step once after they are written, and lets go of them. Never waits. */
  take(step: number): StepForms | undefined {
    const forms = this.#forms.get(step);
    this.#forms.delete(step);
    return forms;
  }

  /** Resolves when the forms that were written before, also by another process, are here. Reads the archive once. */
  async load(options: RequestFormsOptions): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const steps = new Map(
      [...this.#queue.keys()].map((step) => [fileOf(options.pathOf(step), "brief"), step]),
    );
    const written: number[] = [];
    for await (const paths of options.archive.listPaths("/context/steps"))
      for (const path of paths) {
        const step = steps.get(path);
        if (step !== undefined) written.push(step);
      }
    for (let at = 0; at < written.length; at += concurrency)
      await Promise.all(written.slice(at, at + concurrency).map((step) => this.#read(step, options)));
  }

  /** Goes on with the queue in the background and returns at once. */
  request(options: RequestFormsOptions): void {
    if (options.model === undefined || this.#running !== undefined) return;
    if (this.#next(1, options).length === 0 || !this.#backoff.isDue()) return;
    this.#running = this.#work(options).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Never rejects: nobody waits for it. */
  async #work(options: RequestFormsOptions): Promise<void> {
    // One call alone shows whether the model answers.
    let parallel = 1;
    while (!isAborted(options)) {
      const batch = this.#next(parallel, options);
      if (batch.length === 0) return;
      const results = await Promise.allSettled(batch.map((step) => this.#write(step, options)));
      if (isAborted(options)) return;
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) {
        if (this.#backoff.fail()) options.report.fail("summary", failed.reason, "placeholder");
        return;
      }
      this.#backoff.succeed();
      parallel = options.summaryConcurrency;
    }
  }

  /** The steps to write next: those that failed least, of these the heaviest. */
  #next(most: number, { weightOf }: RequestFormsOptions): readonly number[] {
    const chosen: { readonly step: number; readonly failures: number; readonly weight: number }[] = [];
    for (const [step, failures] of this.#queue) {
      const weight = weightOf(step);
      if (weight === undefined) continue;
      const at = chosen.findIndex(
        (one) => failures < one.failures || (failures === one.failures && weight > one.weight),
      );
      chosen.splice(at < 0 ? chosen.length : at, 0, { step, failures, weight });
      if (chosen.length > most) chosen.pop();
    }
    return chosen.map(({ step }) => step);
  }

  async #write(step: number, options: RequestFormsOptions): Promise<void> {
    const path = options.pathOf(step);
    try {
      const text = await options.archive.readText(path);
      const detailed = await writtenForm(text, "detailed", { ...options, path });
      const brief = await writtenForm(text, "brief", { ...options, path });
      this.#keep(step, { detailed, brief }, options);
    } catch (error) {
      const failures = this.#queue.get(step);
      if (failures !== undefined && !isAborted(options)) this.#queue.set(step, failures + 1);
      throw error;
    }
  }

  async #read(step: number, options: RequestFormsOptions): Promise<void> {
    const { archive, pathOf } = options;
    const file = fileOf(pathOf(step), "detailed");
    // The brief form is written last, so that its file says that both are there.
    const [detailed, brief] = await Promise.all([
      archive.readText(file),
      archive.readText(fileOf(pathOf(step), "brief")),
    ]);
    this.#keep(step, { detailed, brief }, options);
  }

  #keep(step: number, texts: Readonly<Record<Level, string>>, { count }: RequestFormsOptions): void {
    // The step may have been dropped meanwhile.
    if (!this.#queue.delete(step)) return;
    const form = (text: string): StepForm => ({ text, tokens: textTokens(text, count) });
    this.#forms.set(step, { detailed: form(texts.detailed), brief: form(texts.brief) });
  }
}

/** Returns the tokens of a step's text with its head, as a part of a message. */
export function textTokens(text: string, count: TokenCounter): number {
  const head = "[1234-012345, detailed]\n";
  return Math.max(1, count([new HumanMessage(`${head}${text}\n`)]) - count([new HumanMessage("")]));
}

/** Returns a step without a model: its beginning and its end, and its beginning alone. Pure. */
export function shortForm(text: string, level: Level, characters: FormCharacters): string {
  const limit = characters[level];
  if (text.length <= limit) return text;
  if (level === "brief") return text.slice(0, limit);
  const head = Math.ceil((limit * 2) / 3);
  return `${text.slice(0, head)}\n⋮\n${text.slice(head - limit)}`;
}

async function writtenForm(
  text: string,
  level: Level,
  options: RequestFormsOptions & { readonly path: string },
): Promise<string> {
  const { model, archive, signal, path, formCharacters } = options;
  const file = fileOf(path, level);
  if (await archive.has(file)) return archive.readText(file);
  // A step that is as short as its brief form needs no model.
  const isShort = text.length <= formCharacters.brief;
  const written =
    isShort || model === undefined ? text : await ask(text, level, { ...options, model, signal });
  const isUseful = written !== "" && written.length < text.length;
  const form = (isUseful ? written : shortForm(text, level, formCharacters)).toWellFormed();
  await writeArchive([{ path: file, content: form }], archive);
  return form;
}

async function ask(
  text: string,
  level: Level,
  { model, signal, summaryTimeoutMs }: WriteFormsOptions & { readonly model: SummaryModel },
): Promise<string> {
  signal?.throwIfAborted();
  const time = deadline(summaryTimeoutMs, signal);
  try {
    const asked = [new SystemMessage(prompts[level]), new HumanMessage(text)];
    const options = summaryCallOptions(time.signal);
    return messageText(await time.within(model.invoke(asked, options))).trim();
  } finally {
    time.end();
  }
}

function isAborted({ signal }: WriteFormsOptions): boolean {
  return signal?.aborted === true;
}

function fileOf(path: string, level: Level): string {
  return path.replace(/md$/, `${level}.md`);
}

import { HumanMessage } from "@langchain/core/messages";
import type { TokenCounter } from "@palimpsest/context";
import { archiveFolders } from "@palimpsest/context/internal";
import { Backoff } from "../memory/backoff.js";
import { writeArchive } from "../../run/commit.js";
import { askInBackground, isAborted, type BackgroundWriting } from "../memory/background-writing.js";
import type { FormCharacters } from "./pace-options.js";

export interface RequestFormsOptions extends BackgroundWriting {
  /** Steps that are summarized at the same time. */
  readonly summaryConcurrency: number;
  /** Returns the path of a step's text in the archive. */
  readonly textPathOf: (step: number) => string;
  /** Texts by path that are not in the archive yet. @default none */
  readonly held?: ReadonlyMap<string, string>;
  /** Returns the relative weight of a step; undefined for a step that needs no shorter form now. */
  readonly weightOf: (step: number) => number | undefined;
  readonly formCharacters: FormCharacters;
  readonly count: TokenCounter;
}

/** A shorter form of a step, and its tokens. */
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
/** Archived forms that are read at the same time. */
const readConcurrency = 16;

/**
 * The shorter forms of one thread's steps, which a model writes in the background.
 *
 * Forms are archived, and read from the archive after a restart. The first failure ends a batch; after exponential backoff,
 * counted in selections, one step is tried alone, and the others follow if it succeeds. An abort of the run cancels its calls;
 * their steps stay in the queue.
 */
export class StepRepresentations {
  /** Forms that are written but not yet taken. */
  readonly #forms = new Map<number, StepForms>();
  /** Steps without forms, with the failures of each. */
  readonly #queue = new Map<number, number>();
  readonly #backoff = new Backoff();
  #running: Promise<void> | undefined;
  #loading: Promise<void> | undefined;

  /** Queues a step. */
  add(step: number): void {
    this.#queue.set(step, 0);
  }

  forget(step: number): void {
    this.#forms.delete(step);
    this.#queue.delete(step);
  }

  /** Returns the forms of a step and drops them here; undefined until they are written. Never waits. */
  take(step: number): StepForms | undefined {
    const forms = this.#forms.get(step);
    this.#forms.delete(step);
    return forms;
  }

  /** Reads the forms that are in the archive, also those of another process, once, and again after a failure. */
  async load(options: RequestFormsOptions): Promise<void> {
    this.#loading ??= this.#readStored(options).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await this.#loading;
  }

  async #readStored(options: RequestFormsOptions): Promise<void> {
    const steps = new Map(
      [...this.#queue.keys()].map((step) => [fileOf(options.textPathOf(step), "brief"), step]),
    );
    const written: number[] = [];
    for await (const paths of options.archive.listPaths(archiveFolders.steps))
      for (const path of paths) {
        const step = steps.get(path);
        if (step !== undefined) written.push(step);
      }
    for (let at = 0; at < written.length; at += readConcurrency)
      await Promise.all(written.slice(at, at + readConcurrency).map((step) => this.#read(step, options)));
  }

  /** Continues the queue in the background and returns at once. */
  request(options: RequestFormsOptions): void {
    if (options.model === undefined || this.#running !== undefined) return;
    if (this.#next(1, options).length === 0 || !this.#backoff.isDue()) return;
    this.#running = this.#work(options).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no form is being written. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Never rejects, because nobody awaits it. */
  async #work(options: RequestFormsOptions): Promise<void> {
    // Try one step first: a model that is down costs one call.
    let concurrency = 1;
    while (!isAborted(options)) {
      const batch = this.#next(concurrency, options);
      if (batch.length === 0) return;
      const results = await Promise.allSettled(batch.map((step) => this.#write(step, options)));
      if (isAborted(options)) return;
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) {
        if (this.#backoff.fail()) options.report.fail("summary", failed.reason, "placeholder");
        return;
      }
      this.#backoff.succeed();
      concurrency = options.summaryConcurrency;
    }
  }

  /** Returns the steps to write next: the fewest failures first, then the heaviest. */
  #next(count: number, { weightOf }: RequestFormsOptions): readonly number[] {
    const chosen: { readonly step: number; readonly failures: number; readonly weight: number }[] = [];
    for (const [step, failures] of this.#queue) {
      const weight = weightOf(step);
      if (weight === undefined) continue;
      const at = chosen.findIndex(
        (one) => failures < one.failures || (failures === one.failures && weight > one.weight),
      );
      chosen.splice(at < 0 ? chosen.length : at, 0, { step, failures, weight });
      if (chosen.length > count) chosen.pop();
    }
    return chosen.map(({ step }) => step);
  }

  async #write(step: number, options: RequestFormsOptions): Promise<void> {
    const path = options.textPathOf(step);
    try {
      const text = options.held?.get(path) ?? (await options.archive.readText(path));
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
    const { archive, textPathOf } = options;
    const file = fileOf(textPathOf(step), "detailed");
    // The brief form is written last: if its file exists, both exist.
    const [detailed, brief] = await Promise.all([
      archive.readText(file),
      archive.readText(fileOf(textPathOf(step), "brief")),
    ]);
    this.#keep(step, { detailed, brief }, options);
  }

  #keep(step: number, texts: Readonly<Record<Level, string>>, { count }: RequestFormsOptions): void {
    // The step may have been dropped in the meantime.
    if (!this.#queue.delete(step)) return;
    const form = (text: string): StepForm => ({ text, tokens: textTokens(text, count) });
    this.#forms.set(step, { detailed: form(texts.detailed), brief: form(texts.brief) });
  }
}

/** Returns the tokens of a step's text with its head, as part of a message. Pure. */
export function textTokens(text: string, count: TokenCounter): number {
  const head = "[1234-012345, detailed]\n";
  return Math.max(1, count([new HumanMessage(`${head}${text}\n`)]) - count([new HumanMessage("")]));
}

/** Returns a form that is cut from the text: beginning and end for `detailed`, the beginning for `brief`. Pure. */
export function shortForm(text: string, level: Level, characters: FormCharacters): string {
  const limit = characters[level];
  if (text.length <= limit) return text;
  if (level === "brief") return text.slice(0, limit).toWellFormed();
  const head = Math.ceil((limit * 2) / 3);
  return `${text.slice(0, head)}\n⋮\n${text.slice(head - limit)}`.toWellFormed();
}

async function writtenForm(
  text: string,
  level: Level,
  options: RequestFormsOptions & { readonly path: string },
): Promise<string> {
  const { model, archive, path, formCharacters } = options;
  const file = fileOf(path, level);
  if (await archive.has(file)) return archive.readText(file);
  // A step that is as short as its brief form needs no model.
  const isShort = text.length <= formCharacters.brief;
  const written =
    isShort || model === undefined
      ? text
      : await askInBackground(prompts[level], text, { ...options, model });
  const isUseful = written !== "" && written.length < text.length;
  const form = (isUseful ? written : shortForm(text, level, formCharacters)).toWellFormed();
  await writeArchive([{ path: file, content: form }], archive);
  return form;
}

function fileOf(path: string, level: Level): string {
  return path.replace(/md$/, `${level}.md`);
}

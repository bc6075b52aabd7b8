import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { defaults, messageText } from "@palimpsest/context";
import type { Archive } from "@palimpsest/vfs";
import { deadline, type SummaryModel } from "../compaction/summary-call.js";
import { summaryCallOptions } from "../compaction/summary-usage.js";
import type { Reporter } from "../edge/reporter.js";

/** The shorter forms of a step, as far as they are written. */
interface StepForms {
  readonly detailed?: string;
  readonly brief?: string;
}

export interface WriteFormsOptions {
  readonly model: SummaryModel | undefined;
  readonly archive: Archive;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
}

/** A step whose forms are wanted. */
interface FormsOf {
  readonly step: number;
  /** Path of the step in the archive; its forms stand beside it. */
  readonly path: string;
  readonly text: string;
}

const prompts = {
  detailed:
    "Summarize this step of an agent: what was done, every result, name, path and number that may matter later.",
  brief: "Say in one or two sentences what this step of an agent did and found.",
} as const;
const levels = ["detailed", "brief"] as const;
/** Steps that are summarized at once. */
const parallel = 2;
/** Characters of the forms that are cut from a step where no model writes them. */
const cut = { whole: 1_600, head: 1_100, tail: 500, brief: 260 };

/**
 * The shorter forms of the steps of one thread, written by a model behind the agent's back.
 *
 * What is written is in the archive, so that a restart goes on where it was. A run that is aborted takes its calls with it;
 * what it did not finish is asked for again by the next one.
 */
export class StepRepresentations {
  readonly #forms = new Map<number, StepForms>();
  readonly #waiting = new Map<number, FormsOf>();
  #running: Promise<void> | undefined;

  /** Returns the forms of a step that are there now. Never waits. */
  formsOf({ step, text }: FormsOf, model: SummaryModel | undefined): StepForms {
    return model === undefined ? cutForms(text) : (this.#forms.get(step) ?? {});
  }

  /** Asks for the forms of these steps and returns at once. */
  request(steps: readonly FormsOf[], options: WriteFormsOptions): void {
    if (options.model === undefined) return;
    for (const one of steps) if (!this.#forms.has(one.step)) this.#waiting.set(one.step, one);
    if (this.#running !== undefined || this.#waiting.size === 0) return;
    this.#running = this.#work(options).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Never rejects: nobody waits for it. */
  async #work(options: WriteFormsOptions): Promise<void> {
    while (this.#waiting.size > 0 && options.signal?.aborted !== true) {
      const batch = [...this.#waiting.values()].slice(0, parallel);
      for (const { step } of batch) this.#waiting.delete(step);
      await Promise.all(batch.map((one) => this.#write(one, options)));
    }
    if (options.signal?.aborted === true) this.#waiting.clear();
  }

  async #write(one: FormsOf, options: WriteFormsOptions): Promise<void> {
    try {
      const [detailed, brief] = await Promise.all(levels.map((level) => form(one, level, options)));
      this.#forms.set(one.step, { detailed: detailed ?? "", brief: brief ?? "" });
    } catch (error) {
      if (options.signal?.aborted !== true) options.report.fail("summary", error, "placeholder");
    }
  }
}

async function form(
  { path, text }: FormsOf,
  level: (typeof levels)[number],
  { model, archive, signal }: WriteFormsOptions,
): Promise<string> {
  const file = path.replace(/md$/, `${level}.md`);
  if (await archive.has(file)) return archive.readText(file);
  if (model === undefined) return cutForms(text)[level];
  const time = deadline(defaults.summaryTimeoutMs, signal);
  try {
    const asked = [new SystemMessage(prompts[level]), new HumanMessage(text)];
    // Tagged so that its tokens never reach the user's message stream.
    const options = summaryCallOptions(time.signal);
    const answer = messageText(await time.within(model.invoke(asked, options))).trim();
    const isUseful = answer !== "" && answer.length < text.length;
    const written = isUseful ? answer : cutForms(text)[level];
    await archive.append(file, written.toWellFormed());
    return written;
  } finally {
    time.end();
  }
}

function cutForms(text: string): Required<StepForms> {
  const detailed = text.length < cut.whole ? text : `${text.slice(0, cut.head)}\n⋮\n${text.slice(-cut.tail)}`;
  return { detailed, brief: text.slice(0, cut.brief) };
}

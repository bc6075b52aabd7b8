import type { VfsSaver } from "@palimpsest/checkpoint";
import { InspectorError } from "../inspector-error.js";
import { addUsage } from "../reading/add-usage.js";
import { agentView, type AgentView } from "../shared/agent-view.js";
import { firstSeen } from "../shared/first-seen.js";
import { extentsOf, listLanes, runsInside } from "../reading/timeline/list-lanes.js";
import { listThreads, sizeOfThread } from "../reading/list-threads.js";
import type { ThreadOrRun } from "../reading/read-state.js";
import type { WhyView } from "../shared/why-view.js";
import { ThreadReader } from "../reading/thread-reader.js";
import type { ReportData, ReportedRun, ReportStep } from "../shared/report-data.js";
import type { FileView, LaneView, MessageView, ThreadView } from "../view.js";

export interface BuildReportOptions {
  /** @default the thread that was written to last */
  readonly thread?: string | undefined;
  /** Tokens of the agent's context window. @default what a middleware recorded in the thread, if any */
  readonly window?: number | undefined;
  /** Called with how many of all steps are read. */
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Returns all that the page shows of a thread, runs of its subgraphs among it.
 *
 * @throws InspectorError for a database without threads, and for a thread that it does not have.
 */
export async function buildReport(
  saver: VfsSaver,
  { thread: wanted, window, progress = () => undefined }: BuildReportOptions = {},
): Promise<ReportData> {
  const thread = await threadOf(saver, wanted);
  const { thread: threadId } = thread;
  const size = await sizeOfThread(saver, threadId);
  let done = 0;
  const pools: Pools = {
    messages: new Pool(),
    files: new Pool(),
    prompts: {},
    onStep: () => progress(++done, size.checkpoints),
  };
  const own = {
    ...(await reportRun(saver, threadId, { ...pools, window })),
    lanes: await listLanes(saver, threadId),
  };
  // Looked at once: a thread may have started many runs.
  const extents = await extentsOf(saver, threadId);
  const runs: Record<string, ReadRun> = {};
  const left = namespacesOf(own.lanes);
  for (let namespace = left.shift(); namespace !== undefined; namespace = left.shift()) {
    const lanes = runsInside(extents, namespace);
    runs[namespace] = { ...(await reportRun(saver, { threadId, namespace }, { ...pools, window })), lanes };
    left.push(...namespacesOf(lanes));
  }
  return {
    thread,
    size,
    ...withAgents(own, runs),
    window: window ?? own.window,
    messages: pools.messages.values,
    files: pools.files.values,
    prompts: pools.prompts,
    runs: Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, withAgents(run, runs)])),
  };
}

/** A run before the runs inside it are read. */
type ReadRun = Omit<ReportedRun, "agents">;

function withAgents<Run extends ReadRun>(run: Run, runs: Readonly<Record<string, ReadRun>>) {
  return { ...run, agents: agentsOf(run.lanes, runs) };
}

function agentsOf(lanes: readonly LaneView[], runs: Readonly<Record<string, ReadRun>>): readonly AgentView[] {
  return lanes.flatMap((lane) => {
    const run = runs[lane.namespace ?? ""];
    if (run === undefined) return [];
    return [agentView(lane, firstSeen(run.rows, run.lanes), agentsOf(run.lanes, runs))];
  });
}

/** Where the messages and files of all runs are held. */
interface Pools {
  readonly messages: Pool<MessageView>;
  readonly files: Pool<FileView>;
  /** Texts by path. */
  readonly prompts: Record<string, string>;
  /** Called after each step. */
  readonly onStep: () => void;
}

interface ReportOptions extends Pools, Pick<BuildReportOptions, "window"> {}

async function reportRun(
  saver: VfsSaver,
  of: ThreadOrRun,
  { window, ...pools }: ReportOptions,
): Promise<Omit<ReadRun, "lanes">> {
  const reader = new ThreadReader(saver, of);
  await reader.load();
  const { rows } = reader.history;
  const { messages, files, prompts, onStep } = pools;
  const opened: Opened = new Map();
  const steps: ReportStep[] = [];
  for (const { id } of rows) {
    const { context, files: present, prompt } = await reader.step(id);
    if (prompt !== null) prompts[prompt.path] ??= await reader.wholeFile(id, prompt.path);
    steps.push({
      context: messages.addAll(context),
      places: await reader.places(id),
      files: files.addAll(present),
      prompt,
    });
    await openFolds(foldsOf(context), opened, async (fold) => {
      const originals = await reader.open(id, fold);
      return { originals, positions: messages.addAll(originals) };
    });
    onStep();
  }
  const all = await reader.all();
  const happened = await reader.messages(0, all.length);
  const sights = all.flatMap(({ id }) => (id === undefined ? [] : [[id, reader.history.sight(id)]]));
  return {
    window: reader.history.window ?? null,
    rows,
    steps,
    happened: messages.addAll(happened),
    texts: await wholeTexts(happened, reader),
    opened: Object.fromEntries(opened),
    sights: Object.fromEntries(sights),
    whys: await whysOf(all.length, reader),
    rework: await reader.rework(),
    usage: addUsage(all),
    savings: await reader.savings(window),
  };
}

function namespacesOf(lanes: readonly LaneView[]): string[] {
  return lanes.flatMap(({ namespace }) => namespace ?? []);
}

async function threadOf(saver: VfsSaver, wanted: string | undefined): Promise<ThreadView> {
  const threads = await listThreads(saver);
  const thread = wanted === undefined ? threads[0] : threads.find((one) => one.thread === wanted);
  if (thread !== undefined) return thread;
  throw new InspectorError(
    wanted === undefined ? "The storage has no threads to report." : `The storage has no thread ${wanted}.`,
  );
}

/** What each fold opens to: positions of messages, by the id of the fold. */
type Opened = Map<string, readonly number[]>;

interface OpenedFold {
  readonly originals: readonly MessageView[];
  readonly positions: readonly number[];
}

/** Opens folds, and those inside them, each once. */
async function openFolds(
  folds: readonly string[],
  opened: Opened,
  open: (fold: string) => Promise<OpenedFold>,
): Promise<void> {
  const closed = folds.filter((fold) => !opened.has(fold));
  for (let fold = closed.pop(); fold !== undefined; fold = closed.pop()) {
    const { originals, positions } = await open(fold);
    opened.set(fold, positions);
    closed.push(...foldsOf(originals).filter((inner) => !opened.has(inner)));
  }
}

function foldsOf(messages: readonly MessageView[]): string[] {
  return messages.flatMap(({ fold }) => (fold === null ? [] : [fold.id]));
}

async function wholeTexts(
  happened: readonly MessageView[],
  reader: ThreadReader,
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [place, { text, characters, calls }] of happened.entries()) {
    if (characters > text.length) texts[place] = (await reader.text(place)).text;
    for (const [at, call] of calls.entries())
      if (call.characters > call.args.length) texts[`${place}.${at}`] = (await reader.text(place, at)).text;
  }
  return texts;
}

async function whysOf(length: number, reader: ThreadReader): Promise<readonly WhyView[]> {
  const whys: WhyView[] = [];
  for (let place = 0; place < length; place++) whys.push(await reader.why(place));
  return whys;
}

/** Values that are held once each: a message stands in the context of many steps. */
class Pool<Value> {
  readonly values: Value[] = [];
  readonly #positions = new Map<string, number>();

  /** Returns the position of each value. */
  addAll(values: readonly Value[]): number[] {
    return values.map((value) => {
      const key = JSON.stringify(value);
      const known = this.#positions.get(key);
      if (known !== undefined) return known;
      this.#positions.set(key, this.values.length);
      return this.values.push(value) - 1;
    });
  }
}

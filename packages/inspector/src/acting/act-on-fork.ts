import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf, pin } from "@palimpsest/context";
import {
  compactThread,
  previewThread,
  unfoldThread,
  type ThreadConfig,
  type ThreadGraph,
} from "@palimpsest/langgraph/threads";
import { InspectorError } from "../inspector-error.js";
import { stateOf, tupleAt, type ThreadState } from "../reading/read-state.js";
import { compactionOf } from "../reading/timeline/step-row.js";
import type { ForkPlan, ForkRequest, WrittenFork } from "../view.js";
import { forkGraph } from "./fork-graph.js";

/** Where forks are written. */
export interface ForkPlace {
  readonly saver: VfsSaver;
  /** Tokens of the agent's window; needed to compact. @default what a middleware recorded in the thread */
  readonly window: number | undefined;
}

/**
 * Returns what `writeFork` would write. Writes nothing.
 *
 * @throws InspectorError that says why it cannot be done.
 */
export async function planFork(place: ForkPlace, request: ForkRequest): Promise<ForkPlan> {
  const subject = await subjectOf(place, request);
  const thread = JSON.stringify(request.thread);
  return {
    lines: [
      ...(await changesOf(subject, request)),
      `A new checkpoint of ${thread} with step ${subject.step} as its parent. No other checkpoint changes.`,
      "It becomes the newest one: a run that names no checkpoint continues from it.",
    ],
  };
}

/**
 * Writes a new checkpoint whose parent is the one of the request, which stays as it is.
 *
 * @throws InspectorError that says why it cannot be done.
 */
export async function writeFork(place: ForkPlace, request: ForkRequest): Promise<WrittenFork> {
  const subject = await subjectOf(place, request);
  const graph = forkGraph(place.saver);
  const refusal = await apply(graph, subject, request);
  if (graph.written !== undefined) return { checkpoint: graph.written };
  throw new InspectorError(refusal ?? "There is nothing to change at this step.");
}

/** The step that is forked. */
interface Subject {
  readonly saver: VfsSaver;
  readonly state: ThreadState;
  readonly step: string;
  readonly config: ThreadConfig;
  readonly window: number | undefined;
}

async function subjectOf({ saver, window }: ForkPlace, { thread, at }: ForkRequest): Promise<Subject> {
  const tuple = await tupleAt(saver, thread, at);
  const state = await stateOf(saver, tuple);
  const config = {
    configurable: { thread_id: thread, checkpoint_ns: state.namespace, checkpoint_id: state.id },
  };
  const step = String(tuple.metadata?.step ?? state.id);
  return { saver, state, step, config, window: window ?? compactionOf(tuple).contextWindow };
}

async function changesOf(subject: Subject, request: ForkRequest): Promise<readonly string[]> {
  const graph = forkGraph(subject.saver);
  if (request.action === "unfold") return unfoldChanges(graph, subject, request.fold);
  if (request.action === "compact") return compactChanges(graph, subject, request.message);
  // Throws for a thread that cannot be forked.
  await graph.getState(subject.config);
  if (request.action === "resume") return ["The state as it is at this step."];
  requireMessage(subject, request.message);
  return ["The message with a mark: every later compaction keeps it word for word."];
}

async function unfoldChanges(graph: ThreadGraph, subject: Subject, fold: string): Promise<readonly string[]> {
  const reading: ThreadGraph = { ...graph, updateState: async () => undefined };
  const options = unfoldOptions(subject, fold);
  const { applied, tokensBefore, tokensAfter, message } = await unfoldThread(
    reading,
    subject.config,
    options,
  );
  if (!applied) throw new InspectorError(message ?? "There is nothing to unfold.");
  const { window } = subject;
  return [
    `The originals in place of the fold: the prompt grows from about ${count(tokensBefore)} to ${count(tokensAfter)} tokens.`,
    ...(window !== undefined && tokensAfter > window
      ? [`That exceeds the window of ${count(window)} tokens: the next step folds again.`]
      : []),
  ];
}

async function compactChanges(
  graph: ThreadGraph,
  subject: Subject,
  above: string,
): Promise<readonly string[]> {
  requireMessage(subject, above);
  const options = { ...compactOptions(subject), request: { above } };
  const { folds, tokensBefore, tokensAfter, message } = await previewThread(graph, subject.config, options);
  if (folds.length === 0) throw new InspectorError(message ?? "There is nothing to fold above this message.");
  const covered = folds.reduce((sum, fold) => sum + fold.covers.length, 0);
  return [
    `A summary in place of ${count(covered)} messages, extracted from them without a model: the prompt shrinks from about ${count(tokensBefore)} to ${count(tokensAfter)} tokens.`,
    "The originals, added to the archive of the thread.",
  ];
}

/** Returns why nothing was written; undefined when something was. */
async function apply(
  graph: ThreadGraph,
  subject: Subject,
  request: ForkRequest,
): Promise<string | undefined> {
  const { config, state } = subject;
  if (request.action === "unfold")
    return (await unfoldThread(graph, config, unfoldOptions(subject, request.fold))).message;
  if (request.action === "resume") {
    await graph.updateState(config, {});
    return undefined;
  }
  const { action, message: id } = request;
  requireMessage(subject, id);
  if (action === "compact")
    return (await compactThread(graph, config, { ...compactOptions(subject), above: id })).message;
  const { inputKey, outputKey } = state.keys;
  const list = inputKey === outputKey ? state.thread : state.context;
  const pinned = list.map((message) => (message.id === id ? pin(message) : message));
  await graph.updateState(config, { [outputKey]: pinned });
  return undefined;
}

function requireMessage({ state }: Subject, id: string): void {
  const message = state.context.find((one) => one.id === id);
  if (message === undefined)
    throw new InspectorError(
      `The context of this step has no message ${id}. Choose one that the model was sent.`,
    );
  if (foldOf(message) !== undefined)
    throw new InspectorError(`${id} stands for folded messages. Unfold it first.`);
}

function unfoldOptions({ saver, state }: Subject, fold: string) {
  // Who asks has seen the sizes: no trigger stops it.
  const unlimited = { trigger: { tokens: Number.MAX_SAFE_INTEGER }, keep: { messages: 1 }, force: true };
  return { files: saver.files, ...state.keys, ...unlimited, fold, levels: 1 };
}

function compactOptions({ saver, state, window }: Subject) {
  if (window !== undefined) return { files: saver.files, ...state.keys, contextWindow: window };
  throw new InspectorError(
    "The window of the agent is not known. Start the inspector with its tokens: --window 128000.",
  );
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

import type { BaseMessage } from "@langchain/core/messages";
import { defaults, estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { addedIllegalities } from "@palimpsest/context/testing";
import { compactionNode, type ContextEvent } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Trajectory } from "../data/trajectory.js";
import { NodeThread } from "../metrics/node-thread.js";
import { userGoals } from "../data/user-goals.js";

export interface ReplayResult {
  readonly set: string;
  readonly id: string;
  /** Model calls, each with a prompt. */
  readonly prompts: number;
  readonly threadTokens: number;
  readonly peakPromptTokens: number;
  /** Prompts larger than the window. */
  readonly promptsOver: number;
  /** Those of them for which no event had said that nothing in them can be shortened. */
  readonly promptsOverUnreported: number;
  readonly folds: Readonly<Record<string, number>>;
  /** Rules of providers that prompts broke and the thread did not. */
  readonly illegal: number;
  /** Prompts without the first and the latest user message, word for word. */
  readonly promptsWithoutGoal: number;
  /** Pointers in the final context whose file is not in the archive. */
  readonly brokenPointers: number;
  /** Every message came back from the archive, byte for byte. */
  readonly intact: boolean;
}

/** Options of the node in a replay. */
export interface ReplayOptions {
  /** Tokens. */
  readonly window: number;
  /** Offloads, truncates and compacts much sooner than by default. @default false */
  readonly tight?: boolean;
}

/**
 * Replays a recorded run: the real node sees the context before each model call.
 *
 * The recording comes from an agent that saw everything; this measures what was kept, not how an agent would act.
 */
export async function replayTrajectory(
  { set, id, messages }: Trajectory,
  { window, tight = false }: ReplayOptions,
): Promise<ReplayResult> {
  const files = VirtualFilesystem.inMemory();
  const folds: Record<string, number> = {};
  let isReported = false;
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.fold") folds[event.fold.kind] = (folds[event.fold.kind] ?? 0) + 1;
    if (event.type === "context.overflow") isReported = true;
  };
  const options = tight ? tightOptions(window) : {};
  const node = compactionNode({ files, contextWindow: window, onEvent, ...options });
  const played = new NodeThread(node, id);
  const seen = { prompts: 0, illegal: 0, withoutGoal: 0, over: 0, unreported: 0, peak: 0 };
  for (const [index, message] of messages.entries()) {
    if (message.getType() === "ai") {
      const prompt = await played.step();
      const thread = messages.slice(0, index);
      seen.prompts++;
      const tokens = estimateTokens(prompt);
      seen.peak = Math.max(seen.peak, tokens);
      // An overflow is reported once while it lasts.
      isReported &&= tokens > window;
      if (tokens > window) seen.over++;
      if (tokens > window && !isReported) seen.unreported++;
      seen.illegal += addedIllegalities(thread, prompt).length;
      if (!hasGoal(thread, prompt, window)) seen.withoutGoal++;
    }
    played.add([message]);
  }
  const final = played.messages;
  const { archive } = files.thread(id);
  const pointers = final.flatMap((message) => foldOf(message)?.path ?? []);
  const there = await Promise.all(pointers.map((path) => archive.has(path)));
  const opened = await unfold(final, (path) => archive.readText(path));
  return {
    set,
    id,
    prompts: seen.prompts,
    threadTokens: estimateTokens(messages),
    peakPromptTokens: seen.peak,
    promptsOver: seen.over,
    promptsOverUnreported: seen.unreported,
    folds,
    illegal: seen.illegal,
    promptsWithoutGoal: seen.withoutGoal,
    brokenPointers: there.filter((found) => !found).length,
    intact: stored(opened) === stored(messages),
  };
}

function tightOptions(window: number) {
  return {
    limits: { offload: window / 16, batch: window / 8, input: 500 },
    trigger: { fraction: 0.6 },
    keep: { fraction: 0.05 },
  };
}

/** The first and the latest user message are there word for word; one that no prompt can hold, with both of its ends. */
function hasGoal(thread: readonly BaseMessage[], prompt: readonly BaseMessage[], window: number): boolean {
  return userGoals(thread).every((goal) => {
    const shown = prompt.find(({ id }) => id === goal.id);
    const isTooLarge = estimateTokens([goal]) > (1 - defaults.userReserve) * window;
    return isTooLarge ? shown !== undefined && foldOf(shown)?.kind === "offload" : shown?.text === goal.text;
  });
}

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map(toStoredMessage));
}

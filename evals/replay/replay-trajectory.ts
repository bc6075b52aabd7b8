import { Overwrite } from "@langchain/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { addedIllegalities } from "@palimpsest/context/testing";
import { compactionNode, type ContextEvent } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Trajectory } from "../data/trajectory.js";

export interface ReplayResult {
  readonly set: string;
  readonly id: string;
  /** Model calls, each with a prompt. */
  readonly prompts: number;
  readonly threadTokens: number;
  readonly peakPromptTokens: number;
  readonly folds: Readonly<Record<string, number>>;
  /** Rules of providers that prompts broke and the thread did not. */
  readonly illegal: number;
  /** Prompts without the first and the latest user message, word for word. */
  readonly promptsWithoutGoal: number;
  /** Pointers in the final context whose file is not in the archive. */
  readonly brokenPointers: number;
  readonly messages: number;
  /** Tokens of each prompt, and of the thread at that point. */
  readonly curve: readonly { readonly prompt: number; readonly thread: number }[];
  /** Every message came back from the archive, byte for byte. */
  readonly intact: boolean;
}

/**
 * Replays a recorded run: the real node sees the context before each model call.
 *
 * The recording comes from an agent that saw everything; this measures what was kept, not how an agent would act.
 */
export async function replayTrajectory(
  { set, id, messages }: Trajectory,
  contextWindow: number,
): Promise<ReplayResult> {
  const files = VirtualFilesystem.inMemory();
  const folds: Record<string, number> = {};
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.fold") folds[event.fold.kind] = (folds[event.fold.kind] ?? 0) + 1;
  };
  const node = compactionNode({
    files,
    contextWindow,
    onEvent,
    offloadTokens: Math.min(20_000, contextWindow / 8),
  });
  const config = { configurable: { thread_id: id } };
  let state: Record<string, unknown> = { messages: [] };
  const seen = { prompts: 0, illegal: 0, withoutGoal: 0 };
  const curve: { prompt: number; thread: number }[] = [];
  let threadTokens = 0;
  for (const [index, message] of messages.entries()) {
    if (message.getType() === "ai") {
      state = merge(state, await node(state, config));
      const prompt = state["messages"] as BaseMessage[];
      const thread = messages.slice(0, index);
      seen.prompts++;
      curve.push({ prompt: estimateTokens(prompt), thread: threadTokens });
      seen.illegal += addedIllegalities(thread, prompt).length;
      if (!hasGoal(thread, prompt)) seen.withoutGoal++;
    }
    threadTokens += estimateTokens([message]);
    state = { ...state, messages: [...(state["messages"] as BaseMessage[]), message] };
  }
  const final = state["messages"] as BaseMessage[];
  const { archive } = files.thread(id);
  const pointers = final.flatMap((message) => foldOf(message)?.path ?? []);
  const there = await Promise.all(pointers.map((path) => archive.has(path)));
  const opened = await unfold(final, (path) => archive.readText(path));
  return {
    set,
    id,
    prompts: seen.prompts,
    threadTokens: estimateTokens(messages),
    peakPromptTokens: Math.max(0, ...curve.map(({ prompt }) => prompt)),
    curve,
    folds,
    illegal: seen.illegal,
    promptsWithoutGoal: seen.withoutGoal,
    brokenPointers: there.filter((found) => !found).length,
    messages: messages.length,
    intact: stored(opened) === stored(messages),
  };
}

function merge(state: Record<string, unknown>, update: Record<string, unknown>): Record<string, unknown> {
  const { messages } = update;
  const list = Overwrite.isInstance<BaseMessage[]>(messages) ? messages.value : state["messages"];
  return { ...state, ...update, messages: list };
}

function hasGoal(thread: readonly BaseMessage[], prompt: readonly BaseMessage[]): boolean {
  const users = thread.filter((message) => message.getType() === "human");
  const goals = [users.at(0), users.at(-1)].filter((message) => message !== undefined);
  return goals.every((goal) =>
    prompt.some((message) => message.id === goal.id && message.text === goal.text),
  );
}

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map(toStoredMessage));
}

import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { blocksOf } from "@palimpsest/context/folding";
import { isAi } from "@palimpsest/context/internal";
import { foldNode, type ContextEvent, type FoldOptions } from "@palimpsest/langgraph";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { NodeThread } from "../metrics/node-thread.js";

/** The context before one model call. */
export interface FoldPoint {
  readonly step: number;
  /** Estimated tokens of the context, without what is sent beside the messages. */
  readonly tokens: number;
  /** Of all messages so far. */
  readonly fullTokens: number;
  readonly blocks: number;
}

export interface FoldedThread {
  readonly points: readonly FoldPoint[];
  readonly messages: readonly BaseMessage[];
  readonly thread: readonly BaseMessage[];
  /** How often the text of any block was rewritten from other blocks. */
  readonly rewrites: number;
  /** Refused directives. */
  readonly refused: number;
  readonly failed: number;
  readonly milliseconds: number;
}

/** Plays a thread through the real fold node: before each of its model calls the node sees the context so far. */
export async function foldThread(
  parts: Iterable<readonly BaseMessage[]>,
  options: Partial<FoldOptions> & Pick<FoldOptions, "files">,
): Promise<FoldedThread> {
  const seen = { rewrites: 0, refused: 0, failed: 0 };
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.fold") seen.rewrites = Math.max(seen.rewrites, event.fold.generation ?? 0);
    if (event.type === "context.skip" && event.reason === "bad-directive") seen.refused++;
    if (event.type === "context.fail") seen.failed++;
  };
  const node = foldNode({ contextWindow: 128_000, ...options, onEvent });
  const played = new NodeThread(node);
  const thread: BaseMessage[] = [];
  const points: FoldPoint[] = [];
  let fullTokens = 0;
  let step = 0;
  let milliseconds = 0;
  for (const added of parts) {
    thread.push(...added);
    fullTokens += estimateTokens(added);
    step += added.filter((message) => isAi(message)).length;
    const start = performance.now();
    const after = await played.step(added);
    milliseconds += performance.now() - start;
    points.push({ step, tokens: estimateTokens(after), fullTokens, blocks: blocksOf(after).length });
  }
  return { points, messages: played.messages, thread, ...seen, milliseconds };
}

export interface Opened {
  /** Times that one level of all folds was opened until none was left. */
  readonly unfolds: number;
  /** What came back is the thread, byte for byte. */
  readonly intact: boolean;
}

/** Opens a folded thread level by level, with nothing but its context and its archive: as after a restart. */
export async function openThread(
  { messages, thread }: FoldedThread,
  files: VirtualFilesystem,
): Promise<Opened> {
  const { archive } = files.thread("thread");
  let opened = [...messages];
  let unfolds = 0;
  while (opened.some((message) => foldOf(message) !== undefined) && unfolds < 100) {
    opened = await unfold(opened, (path) => archive.readText(path), { levels: 1 });
    unfolds++;
  }
  return { unfolds, intact: stored(opened) === stored(thread) };
}

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map((message) => toStoredMessage(message)));
}

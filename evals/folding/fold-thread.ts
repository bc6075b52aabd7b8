import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { blocksOf } from "@palimpsest/context/folding";
import { isAi } from "@palimpsest/context/internal";
import { foldNode, type ContextEvent } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
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
  readonly steps: number;
  /** How often the text of any block was rewritten from other blocks. */
  readonly rewrites: number;
  /** Refused directives. */
  readonly refused: number;
  readonly failed: number;
  readonly millisecondsAStep: number;
  /** Times that one level of all folds was opened until none was left. */
  readonly unfolds: number;
  /** What came back is the thread, byte for byte. */
  readonly intact: boolean;
}

/**
 * Plays a thread through the real fold node, with its archive in a directory: before each of its model calls the node sees the
 * context so far. Then opens it again from there.
 */
export async function foldThread(parts: Iterable<readonly BaseMessage[]>): Promise<FoldedThread> {
  const directory = mkdtempSync(join(tmpdir(), "folding-"));
  try {
    const seen = { rewrites: 0, refused: 0, failed: 0 };
    const onEvent = (event: ContextEvent) => {
      if (event.type === "context.fold") seen.rewrites = Math.max(seen.rewrites, event.fold.generation ?? 0);
      if (event.type === "context.skip" && event.reason === "bad-directive") seen.refused++;
      if (event.type === "context.fail") seen.failed++;
    };
    const files = VirtualFilesystem.fromDirectory(directory);
    const played = new NodeThread(foldNode({ contextWindow: 128_000, files, onEvent }));
    const thread: BaseMessage[] = [];
    const points: FoldPoint[] = [];
    let [fullTokens, steps, milliseconds] = [0, 0, 0];
    for (const added of parts) {
      thread.push(...added);
      fullTokens += estimateTokens(added);
      steps += added.filter((message) => isAi(message)).length;
      const start = performance.now();
      const after = await played.step(added);
      milliseconds += performance.now() - start;
      points.push({ step: steps, tokens: estimateTokens(after), fullTokens, blocks: blocksOf(after).length });
    }
    const { opened, unfolds } = await openThread(played.messages, directory);
    const intact = stored(opened) === stored(thread);
    return { points, steps, ...seen, millisecondsAStep: milliseconds / Math.max(1, steps), unfolds, intact };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Opens a folded thread level by level, with nothing but its context and its archive: as after a restart. */
async function openThread(messages: readonly BaseMessage[], directory: string) {
  const { archive } = VirtualFilesystem.fromDirectory(directory).thread("thread");
  let opened = [...messages];
  let unfolds = 0;
  while (opened.some((message) => foldOf(message) !== undefined) && unfolds < 100) {
    opened = await unfold(opened, (path) => archive.readText(path), { levels: 1 });
    unfolds++;
  }
  return { opened, unfolds };
}

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map((message) => toStoredMessage(message)));
}

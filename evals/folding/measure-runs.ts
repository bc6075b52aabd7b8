import { VirtualFilesystem } from "@palimpsest/vfs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunksOf } from "../data/chunks.js";
import type { Trajectory } from "../data/trajectory.js";
import { foldThread, openThread, type FoldPoint } from "./fold-thread.js";
import { webSteps } from "./web-steps.js";

/** The result of one run. */
export interface FoldedRun {
  readonly name: string;
  readonly seed: number;
  readonly steps: number;
  readonly points: readonly FoldPoint[];
  readonly unfolds: number;
  readonly intact: boolean;
  readonly rewrites: number;
  readonly refused: number;
  readonly failed: number;
  readonly millisecondsAStep: number;
}

/** How a scripted model folds: its text at a step. */
export const habits: Readonly<Record<string, (step: number) => string>> = {
  "never folds": () => "",
  "merges ten steps at every tenth": (step) => (step > 1 && step % 10 === 1 ? deep(step - 10, step - 1) : ""),
  "merges everything at every step": (step) => (step > 2 ? deep(1, step - 1) : ""),
};

function deep(from: number, to: number): string {
  return `<context>{"range":[${from},${to}],"summary":"Steps ${from} to ${to}: no owner named yet, see R-${to}."}</context>`;
}

/** Folds a generated run of a web agent with its archive in a directory, and opens it again from there. */
export async function measureGenerated(name: string, seed: number, steps: number): Promise<FoldedRun> {
  const directory = mkdtempSync(join(tmpdir(), "folding-"));
  try {
    const parts = webSteps({ seed, steps, directive: habits[name] ?? (() => "") });
    const folded = await foldThread(parts, { files: VirtualFilesystem.fromDirectory(directory) });
    const opened = await openThread(folded, VirtualFilesystem.fromDirectory(directory));
    return { name, seed, steps, ...rest(folded, steps), ...opened };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Folds a recorded run. */
export async function measureRecorded({ set, messages }: Trajectory, seed: number): Promise<FoldedRun> {
  const files = VirtualFilesystem.inMemory();
  const parts = chunksOf(messages).map((chunk) => chunk.messages);
  const folded = await foldThread(parts, { files });
  const steps = folded.points.at(-1)?.step ?? 0;
  return { name: set, seed, steps, ...rest(folded, steps), ...(await openThread(folded, files)) };
}

function rest(folded: Awaited<ReturnType<typeof foldThread>>, steps: number) {
  const { points, rewrites, refused, failed, milliseconds } = folded;
  return { points, rewrites, refused, failed, millisecondsAStep: milliseconds / Math.max(1, steps) };
}

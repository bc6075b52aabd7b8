import type { BaseMessage } from "@langchain/core/messages";
import { charsOverFour } from "../data/text-of.js";
import { usedHeap } from "./used-heap.js";
import type { HorizonRun, HorizonSystem } from "./system.js";

export interface WalkOptions {
  readonly system: HorizonSystem;
  readonly window: number;
  /** The session, step by step. It may be endless. */
  readonly steps: Iterable<readonly BaseMessage[]>;
  /** Most steps. */
  readonly most: number;
  /** Seconds of CPU time after which the walk ends where it is: other programs on the machine do not shorten it. */
  readonly seconds: number;
  /** Called at the end, while the session is still there. */
  readonly atEnd?: (run: HorizonRun, steps: number) => Promise<void>;
}

/** How far a system got. */
export interface Walk {
  readonly system: string;
  readonly window: number;
  /** Steps taken before the window overflowed, or before the walk ended. */
  readonly steps: number;
  readonly end: "overflow" | "all steps taken" | "out of time";
  /** Tokens that the steps added, a step. */
  readonly tokensPerStep: number;
  /** Mean and largest prompt, in tokens, and the last. */
  readonly meanPrompt: number;
  readonly largestPrompt: number;
  readonly lastPrompt: number;
  readonly marks: readonly Mark[];
  readonly storedBytes: number;
}

/** What was measured at a step; marks lie at 1, 2 and 5 times the powers of ten. */
export interface Mark {
  readonly step: number;
  readonly prompt: number;
  /** Mean since the mark before. */
  readonly msPerStep: number;
  /** Heap in use after a collection, above that at the start. */
  readonly heapBytes: number;
}

/** Plays one session of a system until the prompt is larger than the window. */
export async function walk(options: WalkOptions): Promise<Walk> {
  const { system, window, steps, most, seconds, atEnd } = options;
  const run = system.start({ window });
  const heapBefore = usedHeap();
  const start = process.cpuUsage();
  const taken = { steps: 0, added: 0, prompts: 0, largest: 0, last: 0 };
  const marks: Mark[] = [];
  let since = { step: 0, ms: 0 };
  let ms = 0;
  let end: Walk["end"] = "all steps taken";
  try {
    for (const added of steps) {
      if (taken.steps >= most) break;
      const before = performance.now();
      const prompt = await run.step(added);
      ms += performance.now() - before;
      if (prompt > window) {
        end = "overflow";
        break;
      }
      taken.steps++;
      taken.added += charsOverFour(added);
      taken.prompts += prompt;
      taken.largest = Math.max(taken.largest, prompt);
      taken.last = prompt;
      if (isMark(taken.steps)) {
        const msPerStep = (ms - since.ms) / (taken.steps - since.step);
        marks.push({ step: taken.steps, prompt, msPerStep, heapBytes: usedHeap() - heapBefore });
        since = { step: taken.steps, ms };
      }
      if (secondsSince(start) > seconds) {
        end = "out of time";
        break;
      }
    }
    await atEnd?.(run, taken.steps);
    const count = Math.max(1, taken.steps);
    return {
      system: system.name,
      window,
      steps: taken.steps,
      end,
      tokensPerStep: taken.added / count,
      meanPrompt: taken.prompts / count,
      largestPrompt: taken.largest,
      lastPrompt: taken.last,
      marks,
      storedBytes: run.storedBytes?.() ?? 0,
    };
  } finally {
    run.close?.();
  }
}

function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function isMark(step: number): boolean {
  return /^[125]0*$/.test(String(step));
}

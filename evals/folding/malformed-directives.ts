import type { BaseMessage } from "@langchain/core/messages";
import { blocksOf } from "@palimpsest/context/folding";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { randomFrom } from "../data/random-from.js";
import { foldThread, openThread } from "./fold-thread.js";
import { webSteps } from "./web-steps.js";

export interface MalformedResult {
  readonly directives: number;
  readonly crashes: number;
  /** Threads that did not come back byte for byte. */
  readonly lostThreads: number;
  /** Steps that no block covers, or two do. */
  readonly gaps: number;
  readonly refused: number;
}

const stepsPerThread = 100;

/** Gives the fold node directives as models get them wrong, one a step, and counts what breaks. */
export async function malformedDirectives(directives: number): Promise<MalformedResult> {
  const threads = Math.ceil(directives / stepsPerThread);
  const sum = { crashes: 0, lostThreads: 0, gaps: 0, refused: 0 };
  for (let seed = 1; seed <= threads; seed++) {
    const random = randomFrom(seed);
    const files = VirtualFilesystem.inMemory();
    const directive = (step: number) => `<context>${malformed(random, step)}</context>`;
    try {
      const parts = webSteps({ seed, steps: stepsPerThread, directive });
      const folded = await foldThread(parts, { files, onError: "throw" });
      const { intact } = await openThread(folded, files);
      sum.lostThreads += intact ? 0 : 1;
      sum.gaps += gapsIn(folded.messages);
      sum.refused += folded.refused;
    } catch {
      sum.crashes++;
    }
  }
  return { directives: threads * stepsPerThread, ...sum };
}

function gapsIn(messages: readonly BaseMessage[]): number {
  const blocks = blocksOf(messages);
  const expected = [1, ...blocks.map(({ endStep }) => endStep + 1)];
  const wrong = blocks.filter(({ startStep }, index) => startStep !== expected[index]).length;
  return wrong + (expected.at(-1) === stepsPerThread ? 0 : 1);
}

/** A valid directive with something wrong: numbers out of range, fields gone or of another kind, characters changed, the end cut off. */
function malformed(random: () => number, step: number): string {
  const number = () =>
    [Math.floor(random() * (step + 4)) - 2, random() * step, 1e21, -0][Math.floor(random() * 4)];
  const summary = [`what step ${step} found`, "", "$& <context>{", '"}]', "\u0000", 7, null][
    Math.floor(random() * 7)
  ];
  const forms: readonly (() => unknown)[] = [
    () => ({ range: [number(), number()], summary }),
    () => ({ range: [number(), number(), number()], summary }),
    () => ({
      fold: { type: "deep_consolidation", target: { ids: [number(), number()] }, summary_text: summary },
    }),
    () => ({ fold: { type: "granular", target: number(), summary_text: summary } }),
    () => ({ range: "1-3", summary }),
    () => [summary],
  ];
  const text = JSON.stringify(forms[Math.floor(random() * forms.length)]?.());
  const at = Math.floor(random() * text.length);
  const damages: readonly (() => string)[] = [
    () => text,
    () => text.slice(0, at),
    () => text.slice(at),
    () => `${text.slice(0, at)}${String.fromCharCode(Math.floor(random() * 0x3000))}${text.slice(at + 1)}`,
    () => `Now:\n\`\`\`json\n${text},\n\`\`\``,
    () => text.replaceAll('"', "'"),
  ];
  return damages[Math.floor(random() * damages.length)]?.() ?? text;
}

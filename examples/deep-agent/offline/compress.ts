import { type Call, type Thread, lastTurn } from "./thread.js";
import { type Workbench } from "./workbench.js";

/** Fill of the context, in percent, from which the model asks for a compaction when it has finished something. */
const fullEnough = 50;
/** Packages in one stretch. */
const stretch = 9;

/**
 * True in every second stretch: the model works on without asking for a compaction, and copies whole sources into its notes. The
 * safety net has to act, and shortening what the notes were written with is enough for it.
 */
export function isBusy(done: number): boolean {
  return Math.floor(done / stretch) % 2 === 1;
}

/** Returns the call of `compress_context` when this is a good moment for it: a package is done and the context fills up. */
export function compressCall(thread: Thread, bench: Workbench, done: number): Call | undefined {
  // Only after a note or some rows: a compaction that nothing came before would lead to the next one.
  const hasFinished = lastTurn(thread).exchanges.some(({ tool }) => /^(?:write|edit)_file$/.test(tool));
  if (!bench.tools.has("compress_context") || !hasFinished || isBusy(done) || bench.fill < fullEnough)
    return undefined;
  const strategy = done % 3 === 2 ? "archive" : "summarize";
  const reason = `${done === 1 ? "1 package is" : `${done} packages are`} in the notes; the raw results are not needed for the next one.`;
  return { name: "compress_context", args: { strategy, reason } };
}

/** Returns how full the context is, in percent, by the newest line on it in the prompt; 0 when there is none. */
export function fillIn(prompt: string): number {
  return Number([...prompt.matchAll(/\[Context: about (\d+) %/g)].at(-1)?.[1] ?? 0);
}

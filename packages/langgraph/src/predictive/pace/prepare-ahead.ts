import type { Step } from "../../run/step.js";
import type { ThreadMemory } from "../memory/thread-memory.js";
import type { ResolvedPredictive } from "../predictive-options.js";

/**
 * Has the steps of a thread encoded and summarized in the background before its first selection is due: a chunk of the paper has
 * both from its creation on (PACE, 3.2). Does nothing with another policy. Never waits.
 */
export function prepareAhead(memory: ThreadMemory, step: Step<ResolvedPredictive>): void {
  if (memory.pace === undefined) return;
  const { options, report, signal, archive } = step;
  const { vectors, representations } = memory.pace;
  const { files, model } = options;
  vectors.encodeAhead({ files, pace: options, report, signal });
  if (model === undefined) return;
  memory.enter();
  const newest = memory.index.chunks.length - options.wholeSteps;
  const request = {
    ...options,
    model,
    archive,
    report,
    signal,
    count: options.tokenCounter,
    textPathOf: (at: number) => memory.textPathOf(at),
    // The selection writes the files of the steps.
    held: new Map(memory.unwritten.map(({ path, content }) => [path, content])),
    // Oldest first. `held` lacks the text of a step that is added later.
    weightOf: (at: number) => (at < newest ? 1 : undefined),
  };
  // The selection loads again, and reports what fails.
  representations.load(request).then(
    () => representations.request(request),
    () => undefined,
  );
}

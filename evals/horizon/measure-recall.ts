import { needleEvery, needleOf, type Needle } from "./generated-steps.js";
import type { HorizonRun } from "./system.js";

/** Recall of the needles that lie from `from` to `to` steps back. */
export interface DecadeRecall {
  readonly from: number;
  readonly to: number;
  readonly needles: number;
  /** Share whose answer is in the prompt. */
  readonly inPrompt: number;
  /** Share whose answer is in the prompt, or in the answer of the agent's search tool to its name. */
  readonly withSearch: number;
}

export interface MeasureRecallOptions {
  readonly seed: number;
  /** Steps taken so far. */
  readonly steps: number;
  /** Most needles of a decade. @default 20 */
  readonly most?: number;
}

/** Returns the recall of far needles, a row for each decade of distance that the session has. */
export async function measureRecall(
  run: HorizonRun,
  { seed, steps, most = 20 }: MeasureRecallOptions,
): Promise<readonly DecadeRecall[]> {
  const prompt = run.prompt();
  const rows: DecadeRecall[] = [];
  for (let from = 1; from < steps; from *= 10) {
    const needles = needlesBetween({ seed, steps, from, to: from * 10, most });
    if (needles.length === 0) continue;
    const shown = needles.filter(({ answer }) => prompt.includes(answer));
    const found: Needle[] = [];
    for (const needle of needles) if (await isFound(run, needle, prompt)) found.push(needle);
    rows.push({
      from,
      to: Math.min(from * 10, steps),
      needles: needles.length,
      inPrompt: shown.length / needles.length,
      withSearch: found.length / needles.length,
    });
  }
  return rows;
}

async function isFound({ search }: HorizonRun, { name, answer }: Needle, prompt: string): Promise<boolean> {
  if (prompt.includes(answer)) return true;
  return search !== undefined && (await search(name)).includes(answer);
}

interface Range {
  readonly seed: number;
  readonly steps: number;
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

/** Evenly spread over the decade; a needle of the newest step is one step back. */
function needlesBetween({ seed, steps, from, to, most }: Range): readonly Needle[] {
  const places: number[] = [];
  for (let step = steps - from; step > steps - to && step >= 0; step--) {
    if (step % needleEvery === 0) places.push(step);
  }
  const stride = Math.max(1, Math.floor(places.length / most));
  return places
    .filter((_, index) => index % stride === 0)
    .slice(0, most)
    .map((step) => needleOf(seed, step));
}

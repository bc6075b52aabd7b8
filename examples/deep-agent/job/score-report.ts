import { type PackageFacts } from "./ground-truth.js";
import { parseReport } from "./parse-report.js";

/** How many answers of a report are right, and which are not. */
export interface Score {
  readonly correct: number;
  readonly total: number;
  readonly wrong: readonly { about: string; expected: string; found: string }[];
}

/** Returns the score of a report against the right answers. Pure. A missing row is six wrong answers. */
export function scoreReport(report: string, truth: ReadonlyMap<string, PackageFacts>): Score {
  const answers = parseReport(report);
  const wrong: { about: string; expected: string; found: string }[] = [];
  let total = 0;
  for (const [name, facts] of truth) {
    for (const field of Object.keys(facts) as (keyof PackageFacts)[]) {
      total += 1;
      const found = answers.get(name)?.[field] ?? "(no answer)";
      if (found !== facts[field]) wrong.push({ about: `${name} ${field}`, expected: facts[field], found });
    }
  }
  return { correct: total - wrong.length, total, wrong };
}

import { textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { sumOf } from "../../metrics/sum-of.js";

/** Characters that a summary keeps of each step: the brief representation of the published stress test. */
const briefCharacters = 260;

/**
 * Sends one summary that grows, and the newest steps whole: over 85 % of the window, all but a tenth of it is
 * summarized. The summary is mechanical: the first 260 characters of each step.
 */
export const cumulativeSummary: HorizonSystem = {
  name: "cumulative summary",
  start({ window }) {
    const summary: string[] = [];
    let summaryCharacters = 0;
    let recent: string[] = [];
    let recentCharacters = 0;
    return {
      async step(added) {
        const text = added.map(textOf).join("\n");
        recent.push(text);
        recentCharacters += text.length;
        if ((summaryCharacters + recentCharacters) / 4 > 0.85 * window) {
          const kept = newestBelow(recent, 0.1 * window * 4);
          const briefs = recent
            .slice(0, recent.length - kept.length)
            .map((one) => one.slice(0, briefCharacters));
          summary.push(...briefs);
          summaryCharacters += sumOf(briefs, ({ length }) => length);
          recent = kept;
          recentCharacters = sumOf(kept, ({ length }) => length);
        }
        return (summaryCharacters + recentCharacters) / 4;
      },
      prompt: () => [...summary, ...recent].join("\n"),
    };
  },
};

function newestBelow(texts: readonly string[], characters: number): string[] {
  let left = characters;
  const first = texts.findLastIndex(({ length }) => (left -= length) < 0);
  return texts.slice(first + 1);
}

import type { BaseMessage } from "@langchain/core/messages";
import { textOf } from "../data/text-of.js";
import type { FactQuestion } from "./made-history.js";

/** How the facts of one question stand in a text. */
export interface FactsSeen {
  readonly kind: FactQuestion["kind"];
  /** Share of the asked facts that stand there: of values the newest one, otherwise all. */
  readonly share: number;
  /** All of them stand there, events in their order. */
  readonly isWhole: boolean;
  /** An old value stands there without the one that superseded it. */
  readonly isStale: boolean;
}

/** Returns how the facts that were stated so far stand in a text. Questions with fewer than two of them are left out. Pure. */
export function factsSeen(
  questions: readonly FactQuestion[],
  text: string,
  now: number,
): readonly FactsSeen[] {
  return questions.flatMap(({ kind, facts }) => {
    const stated = facts.filter(({ at }) => at < now).map((fact) => fact.text);
    if (stated.length < 2) return [];
    const newest = stated.slice(-1);
    const asked = kind === "the newest value" ? newest : stated;
    const seen = asked.filter((fact) => text.includes(fact));
    const isWhole = seen.length === asked.length;
    return [
      {
        kind,
        share: seen.length / asked.length,
        isWhole: isWhole && (kind !== "the order of events" || isInOrder(stated, text)),
        isStale: kind === "the newest value" && !isWhole && stated.some((fact) => text.includes(fact)),
      },
    ];
  });
}

/** The last places of the facts come in the order of the facts. */
function isInOrder(facts: readonly string[], text: string): boolean {
  const places = facts.map((fact) => text.lastIndexOf(fact));
  return places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0));
}

/** Returns the text of a context, as the model reads it. */
export function textOfContext(context: readonly BaseMessage[]): string {
  return context.map(textOf).join("\n");
}

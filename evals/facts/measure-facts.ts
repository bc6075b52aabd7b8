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

/** What an agent sees. */
export interface Sight {
  readonly context: string;
  /** What a tool answered from the archive, in lines of `path:line: text` where it has paths. @default "" */
  readonly answer?: string;
}

/** Returns how the facts that were stated so far stand in sight. Questions with fewer than two of them are left out. Pure. */
export function factsSeen(
  questions: readonly FactQuestion[],
  { context, answer = "" }: Sight,
  now: number,
): readonly FactsSeen[] {
  const text = `${answer}\n${context}`;
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
        isWhole: isWhole && (kind !== "the order of events" || isInOrder(stated, { context, answer })),
        isStale: kind === "the newest value" && !isWhole && stated.some((fact) => text.includes(fact)),
      },
    ];
  });
}

interface Seen {
  /** Place in the answer, or -1. */
  readonly found: number;
  /** Place in the context: of the fact, or of the path of its line in the answer. -1 for what the context does not name. */
  readonly at: number;
}

/**
 * Each fact stands behind the one before it: in the answer where both stand there, otherwise in the context, where what it does
 * not name is older than all that it holds.
 */
function isInOrder(facts: readonly string[], sight: Required<Sight>): boolean {
  const seen = facts.map((fact) => lastSeen(fact, sight));
  return seen.every((one, index) => {
    const last = seen[index - 1];
    if (last === undefined) return true;
    return last.found >= 0 && one.found >= 0 ? one.found > last.found : one.at > last.at;
  });
}

function lastSeen(fact: string, { context, answer }: Required<Sight>): Seen {
  const found = answer.lastIndexOf(fact);
  if (found < 0) return { found, at: context.lastIndexOf(fact) };
  const line = answer.slice(answer.lastIndexOf("\n", found) + 1, found);
  const path = /^\/[^\s:]+(?=:\d+:)/.exec(line)?.[0];
  return { found, at: path === undefined ? -1 : context.indexOf(path) };
}

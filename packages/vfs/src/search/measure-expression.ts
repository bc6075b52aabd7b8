/** How much a regular expression costs, from its source alone. Both numbers are upper bounds. */
export interface ExpressionMeasure {
  /** Instructions of the compiled program. */
  readonly size: number;
  /** Characters of the longest match; infinite with `*`, `+` and `{n,}`. */
  readonly longest: number;
}

/** No two alternatives begin with the same character, so this does not backtrack. */
const token =
  /\\Q(?<quoted>.*?)(?:\\E|$)|\\(?:[pP]\{[^}]*\}|x\{[^}]*\}|.)|(?<set>\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])|\{(?<min>\d+)(?<open>,(?<max>\d*))?\}|./gsu;

/** Ranges over these take the compiler milliseconds each when it ignores case. */
const wideSet = /[^\0-\x7f]|\\x\{/;
const wideSetCost = 50;

const nothing: ExpressionMeasure = { size: 0, longest: 0 };

/** One open group: its finished alternatives, and the concatenation that is being read. */
interface Group {
  size: number;
  longest: number;
  run: number;
  last: ExpressionMeasure;
}

/**
 * Returns bounds for an RE2 expression without compiling it, because compiling `(?:.{1000}){…}` is what they guard against.
 * Pure, linear.
 */
export function measureExpression(source: string): ExpressionMeasure {
  const groups: Group[] = [newGroup()];
  for (const { 0: text, groups: named = {} } of source.matchAll(token)) {
    const group = groups.at(-1) ?? newGroup();
    if (text === "(") groups.push(newGroup());
    else if (text === ")" && groups.length > 1) {
      groups.pop();
      append(groups.at(-1) ?? group, close(group));
    } else if (text === "|") endAlternative(group);
    else if (text === "*" || text === "+") group.last = repeat(group.last, 1, Infinity);
    else if (text === "?") group.last = repeat(group.last, 1, 1);
    else if (named["min"] !== undefined) group.last = repeat(group.last, ...countsOf(named));
    else append(group, atom(text, named));
  }
  return groups.map(close).reduce((sum, { size, longest }) => ({
    size: sum.size + size,
    longest: sum.longest + longest,
  }));
}

function newGroup(): Group {
  return { size: 0, longest: 0, run: 0, last: nothing };
}

/** A class and an escape can match a character of two UTF-16 units. */
function atom(
  text: string,
  { quoted, set }: Readonly<Record<string, string | undefined>>,
): ExpressionMeasure {
  if (quoted !== undefined) return { size: quoted.length, longest: quoted.length };
  if (set !== undefined) return { size: wideSet.test(set) ? wideSetCost : 1, longest: 2 };
  return { size: 1, longest: 2 };
}

function countsOf({ min, open, max }: Readonly<Record<string, string | undefined>>): [number, number] {
  const least = Number(min);
  if (open === undefined) return [least, least];
  return [least, max === undefined || max === "" ? Infinity : Number(max)];
}

function repeat({ size, longest }: ExpressionMeasure, min: number, max: number): ExpressionMeasure {
  const copies = Math.max(1, Number.isFinite(max) ? max : min + 1);
  return { size: copies * (size + 1), longest: longest === 0 || max === 0 ? 0 : longest * max };
}

function append(group: Group, next: ExpressionMeasure): void {
  group.size += group.last.size;
  group.run += group.last.longest;
  group.last = next;
}

function endAlternative(group: Group): void {
  append(group, nothing);
  group.longest = Math.max(group.longest, group.run);
  group.run = 0;
  group.size++;
}

function close(group: Group): ExpressionMeasure {
  endAlternative(group);
  return { size: group.size + 2, longest: group.longest };
}

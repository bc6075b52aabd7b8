import { lineNumber } from "../messages/line-atoms.js";

/** Fewest and most lines of a record, and records that have a field before the field makes a list of them. */
const sizes = { least: 2, most: 16, repeats: 3 };

/** A field of a record: `city: Smithburgh`, `"city": "Smithburgh",`, `- **City:** Smithburgh`. Group: its name. */
const field = /^[\s>*+-]*["'`*]{0,3}([\p{L}_$][\p{L}\p{N}_$ .-]{0,40}?)["'`*]{0,3}:["'`*]{0,3}\s+\S/u;
/** Begins an item of a list. Group: its indentation. */
const bullet = /^(\s*)[*+-]\s/;

/**
 * Returns a function that numbers the records among the lines of a text: for each line the number of its record, or -1 for a line of
 * none. A field such as `city: Smithburgh` says nothing without the other lines of its record, which name what it is about.
 *
 * Pure, O(characters). A record is a run of 2 to 16 lines at least half of which are fields that three different records of the `texts`
 * have. A line without a letter or digit, or an item of a list, begins the next one.
 */
export function recordFinder(
  texts: Iterable<readonly string[]>,
): (lines: readonly string[]) => readonly number[] {
  const holders = new Map<string, number>();
  const seen = new Set<string>();
  for (const lines of texts) {
    for (const { own } of runsOf(lines)) {
      if (seen.size === seen.add(own.join("\n")).size) continue;
      for (const name of namesIn(own)) holders.set(name, (holders.get(name) ?? 0) + 1);
    }
  }
  const isRecord = (lines: readonly string[]) => {
    const shared = [...namesIn(lines)].filter((name) => (holders.get(name) ?? 0) >= sizes.repeats).length;
    return lines.length <= sizes.most && shared >= Math.max(sizes.least, lines.length / 2);
  };
  return (lines) => {
    const numbers = lines.map(() => -1);
    runsOf(lines).forEach(({ start, own }, at) => {
      if (isRecord(own)) numbers.fill(at, start, start + own.length);
    });
    return numbers;
  };
}

interface Run {
  readonly start: number;
  /** Its lines, without the line numbers of a file viewer. */
  readonly own: string[];
}

function runsOf(lines: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  lines.forEach((numbered, at) => {
    const line = numbered.replace(lineNumber, "");
    if (!/[\p{L}\p{N}]/u.test(line)) return;
    const last = runs.at(-1);
    const isNext =
      last === undefined || last.start + last.own.length < at || isNextItem(line, last.own[0] ?? "");
    if (isNext) runs.push({ start: at, own: [line] });
    else last.own.push(line);
  });
  return runs;
}

function isNextItem(line: string, first: string): boolean {
  const [, indentation] = bullet.exec(line) ?? [];
  return indentation !== undefined && bullet.exec(first)?.[1] === indentation;
}

function namesIn(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => field.exec(line)?.[1] ?? []));
}

/** Control characters but tab and newline, and characters that reorder the text around them. */
const unsafe = /[^\t\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029\ufeff]/gu;

/** Returns text without terminal commands: control characters become escapes such as `\u001b`. Pure. */
export function terminalText(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Returns a value as JSON in which control characters, and characters that reorder text, are escapes. It parses to the same
 * value. Pure.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return terminalText(JSON.stringify(value, undefined, indent));
}

/** Returns the text on one line of at most so many characters. Pure. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = terminalText(text.slice(0, maxCharacters * 4))
    .replace(/\s+/gu, " ")
    .trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line;
}

/** Breaks the lines of sentences between words, so that they fit into the columns. A longer word has a line of its own. Pure. */
export function wrapped(text: string, { columns }: TableOptions): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/** The columns of a terminal that a table fits into. Text that is piped elsewhere has no limit. */
export interface TableOptions {
  /** @default no limit */
  readonly columns?: number | undefined;
}

/** Columns that a shortened text has at least. */
const leastText = 8;

/**
 * Returns rows as columns of equal width: numbers aligned right, text aligned left. A column that is empty in every row is
 * omitted. Where the table is wider than the terminal, shortens its longest texts; where that is not enough, writes each row as
 * names and values. Pure.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { columns: most }: TableOptions = {},
): string {
  const columns = columnsOf(head, rows);
  const excess = (): number =>
    columns.reduce((sum, { width }) => sum + width + 2, -2) - (most ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const over = excess();
    if (over <= 0) break;
    const texts = columns.filter(
      ({ isNumber, width, name }) => !isNumber && width > Math.max(leastText, name.length),
    );
    const widest = texts.toSorted((a, b) => b.width - a.width)[0];
    if (widest === undefined) return asRecords(columns, rows.length, most ?? 0);
    const next = texts.find(({ width }) => width < widest.width)?.width ?? 0;
    widest.width = Math.max(leastText, widest.name.length, next - 1, widest.width - over);
  }
  const lines = Array.from({ length: rows.length + 1 }, (_, line) =>
    columns
      .map(({ cells, width, isNumber }) => {
        const text = oneLine(cells[line] ?? "", width);
        return isNumber ? text.padStart(width) : text.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

interface Column {
  readonly name: string;
  /** The name, then the texts of the rows. */
  readonly cells: readonly string[];
  readonly isNumber: boolean;
  width: number;
}

function columnsOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): Column[] {
  return head.flatMap((name, column) => {
    const cells = rows.map((row) => row[column] ?? "");
    const filled = cells.filter((cell) => cell !== "");
    if (rows.length > 0 && filled.length === 0) return [];
    const texts = [name, ...cells.map(format)];
    const width = Math.max(...texts.map((text) => text.length));
    const isNumber = filled.length > 0 && filled.every((cell) => typeof cell === "number");
    return [{ name, cells: texts, isNumber, width }];
  });
}

/** Writes each row as names and values, which break between two of them. */
function asRecords(columns: readonly Column[], rows: number, most: number): string {
  const records = Array.from({ length: rows }, (_, row) => {
    const pairs = columns.flatMap(({ name, cells }) => {
      const cell = cells[row + 1] ?? "";
      return cell === "" ? [] : [oneLine(`${name} ${cell}`, most - 2)];
    });
    const lines = [""];
    for (const pair of pairs) {
      const last = lines.at(-1) ?? "";
      const joined = last === "" ? pair : `${last}, ${pair}`;
      if (joined.length <= most - 2) lines[lines.length - 1] = joined;
      else lines.push(pair);
    }
    return lines.join("\n  ");
  });
  return `${records.join("\n")}\n`;
}

/** Returns a whole number for people, such as `1,024`. Pure. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** Returns a number with its noun, such as `1 fold` or `12 folds`. Pure. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

function format(cell: string | number): string {
  return typeof cell === "number" ? count(cell) : oneLine(cell, 120);
}

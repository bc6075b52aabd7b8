/** Control characters but tab and newline, and characters that reorder the text around them. */
const unsafe = /[^\t\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029\ufeff]/gu;

/** Returns text that a terminal shows and does not obey: control characters become escapes such as `\u001b`. Pure. */
export function terminalText(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Returns a value as JSON in which every character that a terminal obeys, or that reorders text, is an escape. What parses it gets
 * the same value. Pure.
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

/** Returns rows as columns of equal width: numbers to the right, text to the left. Pure. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => format(cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Returns a whole number for people, such as `1,024`. Pure. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

function format(cell: string | number): string {
  return typeof cell === "number" ? count(cell) : oneLine(cell, 120);
}

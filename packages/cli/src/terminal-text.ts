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

/**
 * Returns rows as columns of equal width: numbers aligned right, text aligned left. A column that is empty in every row is
 * omitted. Pure.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const columns = head.flatMap((name, column) => {
    const cells = rows.map((row) => row[column] ?? "");
    const filled = cells.filter((cell) => cell !== "");
    if (rows.length > 0 && filled.length === 0) return [];
    const texts = [name, ...cells.map(format)];
    const width = Math.max(...texts.map((text) => text.length));
    const isNumber = filled.length > 0 && filled.every((cell) => typeof cell === "number");
    return [texts.map((text) => (isNumber ? text.padStart(width) : text.padEnd(width)))];
  });
  const lines = ["", ...rows].map((_, line) =>
    columns
      .map((cells) => cells[line])
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

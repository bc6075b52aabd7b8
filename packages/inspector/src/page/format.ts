const number = new Intl.NumberFormat("en-US");

/** Returns a number with separators, such as `12,345`. Pure. */
export function count(value: number): string {
  return number.format(Math.round(value));
}

/** Returns a number with its noun, such as `1 fold` or `12 folds`. Pure. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const amount = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const smallAmount = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** Returns a sum of money without its currency, such as `1,234.5` or `0.00123`. Pure. */
export function money(value: number): string {
  return (value < 1 ? smallAmount : amount).format(value);
}

/** Returns a number in three characters or four, such as `12k`. Pure. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  return value < 1_000_000 ? `${Math.round(value / 1_000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

export function bytes(size: number): string {
  return size < 1_000 ? `${size} B` : `${short(size).replace("k", " k").replace("M", " M")}B`;
}

/** Control characters but tab and newline, and characters that reorder the text around them. */
const unsafe = /[^\t\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029\ufeff]/gu;

/** Returns text in which nothing is hidden: control characters are written as escapes such as `\u202e`. Pure. */
export function plain(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns the beginning of a text on one line. Pure. */
export function line(text: string, maxCharacters = 200): string {
  return plain(text.slice(0, maxCharacters * 2))
    .replace(/\s+/gu, " ")
    .trim()
    .slice(0, maxCharacters);
}

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function time(iso: string): string {
  return iso === "" ? "" : date.format(new Date(iso));
}

/** Returns the time between two times in its largest unit, such as `1.5 s` or `12 min`. Pure. */
export function duration(from: string, to: string): string {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** Returns a time with its seconds: steps follow each other fast. */
export function timeOfStep(iso: string): string {
  return iso === "" ? "" : clock.format(new Date(iso));
}

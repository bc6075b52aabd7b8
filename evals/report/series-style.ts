export interface SeriesStyle {
  /** A colour variable of the page. */
  readonly color: string;
  /** Lengths of dashes; empty for a whole line. */
  readonly dash: string;
  readonly width: number;
}

/** The same system has the same colour in every chart. */
const known: readonly (readonly [RegExp, SeriesStyle])[] = [
  [/^(window|budget|limit)/i, { color: "var(--muted)", dash: "2,4", width: 1.25 }],
  [/^oracle/i, { color: "var(--ink-2)", dash: "6,3", width: 1.5 }],
  [/^random/i, { color: "var(--muted)", dash: "1,3", width: 2 }],
  [/^full/i, { color: "var(--muted)", dash: "", width: 1.75 }],
  [/deepagents/i, { color: "var(--s-orange)", dash: "", width: 1.75 }],
  [/langchain/i, { color: "var(--s-red)", dash: "", width: 1.75 }],
];
const ours = /palimpsest|our|ladder|vfssaver/i;
const oursColors = ["var(--s-green)", "var(--s-teal)", "var(--s-lime)", "var(--s-mint)"];
const others = ["blue", "purple", "brown", "pink", "sky", "olive"].map((name) => `var(--s-${name})`);
const dashes = ["", "8,3", "4,2", "10,3,2,3"];

/** Returns a style for each label: ours in greens, controls in greys, the rest in the order of colours. Pure. */
export function seriesStyle(labels: readonly string[]): readonly SeriesStyle[] {
  const taken: string[] = [];
  return labels.map((label) => {
    const style = styleOf(label, taken);
    const key = `${style.color}${style.dash}`;
    const again = taken.filter((each) => each === key).length;
    taken.push(key);
    return again === 0 ? style : { ...style, dash: dashes[again % dashes.length] ?? "" };
  });
}

function styleOf(label: string, taken: readonly string[]): SeriesStyle {
  const isOurs = ours.test(label);
  const found = isOurs ? undefined : known.find(([pattern]) => pattern.test(label))?.[1];
  if (found !== undefined) return found;
  const palette = isOurs ? oursColors : others;
  const used = taken.filter((key) => palette.some((color) => key.startsWith(color))).length;
  const color = palette[used % palette.length] ?? "currentColor";
  return { color, dash: dashes[Math.floor(used / palette.length)] ?? "", width: isOurs ? 4 : 1.75 };
}

export interface LineStyle {
  /** A colour variable of the chart. */
  readonly color: string;
  /** The lengths of dashes, empty for a solid line. */
  readonly dash: string;
  readonly width: number;
}

/** Each saver has a colour; ours have wide lines. Three lines overlap: the lower ones are solid, the upper one is dashed. */
const styles: readonly (readonly [RegExp, LineStyle])[] = [
  [/^deepagents on Vfs/u, { color: "var(--pink)", dash: "8 4", width: 2 }],
  [/^deepagents/u, { color: "var(--red)", dash: "", width: 2 }],
  [/^VfsSaver on Postgres/u, { color: "var(--teal)", dash: "", width: 4 }],
  [/^VfsSaver/u, { color: "var(--green)", dash: "", width: 4 }],
  [/^MemorySaver/u, { color: "var(--blue)", dash: "", width: 3 }],
  [/^SqliteSaver/u, { color: "var(--amber)", dash: "7 7", width: 3 }],
  [/^PostgresSaver/u, { color: "var(--purple)", dash: "3 5", width: 3 }],
];

const other: LineStyle = { color: "var(--soft)", dash: "1 4", width: 1.5 };

/** Returns the style of a saver's line. Pure. */
export function lineStyle(label: string): LineStyle {
  return styles.find(([pattern]) => pattern.test(label))?.[1] ?? other;
}

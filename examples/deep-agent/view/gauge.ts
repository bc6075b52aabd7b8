import { type Colors } from "./colors.js";
import { type PromptParts } from "../count-prompt.js";
import { grouped, short } from "./format.js";

/** A part of the prompt with its name and colour in the gauge. */
const segments = [
  { part: "system", name: "system + tools", color: "blue" },
  { part: "user", name: "user", color: "magenta" },
  { part: "summaries", name: "summaries", color: "green" },
  { part: "results", name: "tool results", color: "yellow" },
  { part: "assistant", name: "assistant", color: "cyan" },
] as const;

/** Where and how a gauge is drawn. */
export interface GaugeOptions {
  /** Tokens. */
  readonly window: number;
  /** Characters of the bar. */
  readonly width: number;
  readonly colors: Colors;
}

/** Returns the gauge of a prompt: a bar by part against the window, and its legend. Pure. */
export function gauge(parts: PromptParts, { window, width, colors }: GaugeOptions): string[] {
  const share = parts.total / window;
  const bar = segments.map(({ part, color }, index) => {
    const before = segments.slice(0, index).reduce((sum, each) => sum + parts[each.part], 0);
    const cells = cellsOf(before + parts[part]) - cellsOf(before);
    return colors[color]("█".repeat(Math.max(0, cells)));
  });
  const rest = Math.max(0, width - cellsOf(parts.total));
  const percent = `${Math.round(share * 100)} %`;
  const fill = share > 0.95 ? colors.red(percent) : share > 0.5 ? colors.yellow(percent) : percent;
  const legend = segments.map(
    ({ part, name, color }) => `${colors[color]("■")} ${name} ${short(parts[part])}`,
  );
  return [
    `context ${bar.join("")}${colors.dim("░".repeat(rest))} ${fill} of ${grouped(window)}`,
    `        ${legend.join("  ")}`,
  ];

  function cellsOf(tokens: number): number {
    return Math.min(width, Math.round((tokens / window) * width));
  }
}

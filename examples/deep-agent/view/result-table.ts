import { type Colors } from "./colors.js";
import { type DemoResult } from "../demo-result.js";
import { grouped } from "./format.js";

/** Returns the lines of the table that ends a run: the job with Palimpsest and without. Pure. */
export function resultTable(result: DemoResult, colors: Colors): string[] {
  const rows = rowsOf(result);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd();
  const [head = [], ...body] = rows;
  const rule = widths.map((width) => "─".repeat(width)).join("───");
  return [colors.bold(line(head)), colors.dim(rule), ...body.map(line)];
}

function rowsOf(result: DemoResult): string[][] {
  const { overflowStepWithout: overflow, windowTokens } = result;
  const without = (text: string): string => (overflow === null ? "(not run, or it fits)" : text);
  const folds = Object.entries(result.folds)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  return [
    ["", "with Palimpsest", "without"],
    ["the job", "done", without(`stopped at call ${overflow}`)],
    ["answers right", `${result.answersCorrect} of ${result.answersTotal}`, without("0")],
    [
      "model calls",
      `${grouped(result.steps)} + ${result.subagentSteps} of subagents`,
      without(String(overflow)),
    ],
    ["tool output", `${grouped(result.toolTokens)} tokens`, ""],
    [
      "largest prompt",
      `${grouped(result.peakPromptTokens)} of ${grouped(windowTokens)} tokens`,
      without(`over ${grouped(windowTokens)}`),
    ],
    ...(folds.length === 0 ? ["none"] : inLines(folds)).map((cell, line) => [
      line === 0 ? "folds" : "",
      cell,
      "",
    ]),
    ["compress_context", `${result.compressContextCalls} calls of the agent`, ""],
    ["safety net", `${result.safetyNetFires} times`, ""],
    [
      "unfolded again",
      `${result.messagesUnfolded} messages, ${result.bytesIdentical ? "byte for byte the same" : "NOT the same"}`,
      "",
    ],
    ["time", `${result.seconds} s`, ""],
  ];
}

/** At most three in a line, so that the table fits a terminal of 80 columns. */
function inLines(folds: readonly string[]): string[] {
  const starts = folds.map((_, index) => index).filter((index) => index % 3 === 0);
  return starts.map((start) => folds.slice(start, start + 3).join(", "));
}

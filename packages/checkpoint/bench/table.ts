import type { Growth } from "./measure-growth.js";

/** The measurements of one subject. */
export type Rows = readonly { readonly label: string; readonly measured: readonly Growth[] }[];

/** The other measurements, by subject. */
export interface Runs {
  /** A step's `put` and `putWrites`, in ms, by the number of messages. */
  readonly saverShareMs: Readonly<Record<string, Readonly<Record<number, number>>>>;
  /** The size of a saver before the first step, in bytes. */
  readonly emptyBytes: Readonly<Record<string, number>>;
  readonly agentBytes: Readonly<Record<string, number>>;
  readonly staticFileBytesPerStep: Readonly<Record<string, number>>;
  readonly hugeResult: Readonly<Record<string, { readonly factor: number; readonly ms: number }>>;
  readonly resumedMessages: number;
  /** The time to read a thread of that many messages, in ms, by the kind of text. */
  readonly resumeMs: Readonly<Record<string, number>>;
}

/** Returns a Markdown table of the bytes stored for each byte of content. Pure. */
export function table(rows: Rows): string {
  const steps = [...new Set(rows.flatMap(({ measured }) => measured.map((each) => each.steps)))].sort(
    (a, b) => a - b,
  );
  const lines = rows.map(({ label, measured }) => [
    label,
    ...steps.map((count) => measured.find((each) => each.steps === count)?.factor.toFixed(2) ?? ""),
  ]);
  return markdown([["steps", ...steps.map(String)], ...lines]);
}

/** Returns a Markdown table of the other measurements, a column for each subject. Pure. */
export function runsTable({
  saverShareMs,
  emptyBytes,
  agentBytes,
  staticFileBytesPerStep,
  hugeResult,
  resumedMessages,
  resumeMs,
}: Runs): string {
  const names = [...new Set([...Object.keys(saverShareMs), ...Object.keys(hugeResult)])];
  const row = (label: string, cell: (name: string) => string | undefined): string[] => [
    label,
    ...names.map((name) => cell(name) ?? ""),
  ];
  const share = (name: string): string | undefined =>
    saverShareMs[name] &&
    Object.entries(saverShareMs[name])
      .map(([count, ms]) => `${short(ms)} at ${grouped(count)}`)
      .join(", ");
  const huge = (name: string): string | undefined => {
    const run = hugeResult[name];
    return run && `${run.factor.toFixed(2)}, ${short(run.ms / 1000)} s`;
  };
  const resumed = Object.entries(resumeMs).map(([kind, ms]) => `${(ms / 1000).toFixed(2)} s ${kind}`);
  return markdown([
    ["the same run", ...names],
    row("a step's `put` and `putWrites`, ms, at a number of messages", share),
    row("what is stored before the first step, KB", (name) => kilo(emptyBytes[name])),
    row("100 rounds of four parallel tool calls, createAgent v2, MB", (name) => mega(agentBytes[name])),
    row("what a file of 200 KB in the state adds to each step, KB", (name) =>
      kilo(staticFileBytesPerStep[name]),
    ),
    row("a tool result of 50 MB: bytes stored for each byte, the run", huge),
    row(`reading a thread of ${grouped(String(resumedMessages))} messages back`, (name) =>
      name === "VfsSaver" ? resumed.join(", ") : undefined,
    ),
  ]);
}

function markdown([head = [], ...lines]: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => "---")), ...lines.map(line)].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function grouped(count: string): string {
  return Number(count).toLocaleString("en-US");
}

function mega(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : short(bytes / 1e6);
}

function kilo(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : String(Math.max(0, Math.round(bytes / 1000)));
}

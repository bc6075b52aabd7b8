import { useEffect, useState } from "preact/hooks";
import { parts, type StepRow } from "../../view.js";
import { count, line, plain, time } from "../format.js";
import type { Source } from "../source/source.js";
import { LaneStrip } from "./lane-strip.js";
import { promptTokens } from "./thin-rows.js";
import { TimelineChart } from "./timeline-chart.js";
import type { Timeline } from "./use-timeline.js";

export interface TimelinePanelProps {
  readonly source: Source;
  readonly thread: string;
  readonly timeline: Timeline;
  readonly selected: number;
  readonly spans: readonly (readonly [number, number])[] | undefined;
  readonly onSelect: (index: number) => void;
  readonly onOpen: (thread: string) => void;
}

/** The timeline, what its colors mean, and the chosen step in figures. */
export function TimelinePanel({ timeline, selected, spans, onSelect, ...lanes }: TimelinePanelProps) {
  const { rows, isWhole, window } = timeline;
  const [zoom, setZoom] = useState<readonly [number, number] | undefined>(undefined);
  const last = Math.max(0, rows.length - 1);
  // Positions move while earlier steps arrive: a zoom begins when all are there.
  const range =
    zoom && isWhole ? ([Math.max(0, zoom[0]), Math.min(last, zoom[1])] as const) : ([0, last] as const);
  useEffect(() => setZoom(undefined), [rows[0]?.id]);
  const row = rows[selected];
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="legend">
        {parts.toReversed().map((part, at) => (
          <span key={part} class={`part-${part}`}>
            <span class="swatch" />
            {names[part]} <b>{count(row?.tokens[parts.length - 1 - at] ?? 0)}</b>
          </span>
        ))}
        <span class="spacer" />
        {zoom && (
          <button class="link" onClick={() => setZoom(undefined)}>
            whole thread
          </button>
        )}
        {!isWhole && <span class="dim">reading, {count(rows.length)} steps so far</span>}
      </div>
      <TimelineChart {...{ rows, range, selected, window, spans, onSelect }} onRange={setZoom} />
      {isWhole && <LaneStrip {...lanes} {...{ rows, range }} />}
      {row && <Figures row={row} window={window} total={rows.length} index={selected} />}
    </section>
  );
}

const names: Record<(typeof parts)[number], string> = {
  system: "system and tools",
  user: "user",
  assistant: "assistant",
  reasoning: "reasoning",
  results: "results",
  previews: "shortened",
  summaries: "summaries",
  blocks: "blocks",
};

interface FiguresProps {
  readonly row: StepRow;
  readonly window: number | null;
  readonly index: number;
  readonly total: number;
}

function Figures({ row, window, index, total }: FiguresProps) {
  const tokens = promptTokens(row);
  const share = window === null ? "" : `, ${Math.round((tokens / window) * 100)} % of ${count(window)}`;
  const { call } = row;
  return (
    <p class="figures">
      <b>Step {row.step ?? "–"}</b>
      <span class="dim">
        {count(index + 1)} of {count(total)}, {time(row.at)}
      </span>
      <span>
        about {count(tokens)} tokens{share} in {count(row.messages)} messages
      </span>
      {call && (
        <span>
          {plain(call.model)} read {count(call.input)}, {count(call.cached)} of it cached, wrote{" "}
          {count(call.output)}
        </span>
      )}
      {row.isEpoch && <span class="tag">new epoch: changed from message {count(row.unchanged + 1)} on</span>}
      {row.isBranch && <span class="tag">branch</span>}
      {row.folds.length > 0 && <span class="tag">{foldsOf(row)}</span>}
      {row.label !== "" && <span class="dim ellipsis">{line(row.label)}</span>}
    </p>
  );
}

function foldsOf({ folds }: StepRow): string {
  const [first] = folds;
  if (first === undefined) return "";
  const before = folds.reduce((sum, fold) => sum + fold.before, 0);
  const after = folds.reduce((sum, fold) => sum + fold.after, 0);
  const kinds = [...new Set(folds.map(({ kind }) => kind))].join(", ");
  const reasons = [...new Set(folds.map(({ reason }) => reason).filter((reason) => reason !== ""))].join(
    ", ",
  );
  return `folded ${plain(kinds)}${reasons === "" ? "" : ` (${plain(reasons)})`}: ${count(before)} → ${count(after)} tokens`;
}

import { useEffect, useMemo, useState } from "preact/hooks";
import { predictedCalls } from "../../shared/predicted-bill.js";
import { parts } from "../../view.js";
import { count } from "../format.js";
import type { TypedPrices } from "../prices.js";
import type { Source } from "../source/source.js";
import { LaneStrip } from "./lane-strip.js";
import { RunCrumb } from "./run-crumb.js";
import { StepFigures } from "./step-figures.js";
import { TimelineChart } from "./timeline-chart.js";
import type { Timeline } from "./use-timeline.js";

export interface TimelinePanelProps {
  readonly source: Source;
  readonly thread: string;
  /** Of a run of a subgraph; empty for the agent of the thread. */
  readonly namespace: string;
  readonly timeline: Timeline;
  readonly selected: number;
  readonly spans: readonly (readonly [number, number])[] | undefined;
  readonly prices: TypedPrices;
  readonly onSelect: (index: number) => void;
  readonly onOpen: (thread: string) => void;
  readonly onOpenRun: (namespace: string) => void;
}

/** The timeline, what its colors mean, and the chosen step in figures. */
export function TimelinePanel({ timeline, spans, prices, onSelect, ...given }: TimelinePanelProps) {
  const { selected, namespace, ...lanes } = given;
  const { rows, isWhole, window } = timeline;
  const [zoom, setZoom] = useState<readonly [number, number] | undefined>(undefined);
  const last = Math.max(0, rows.length - 1);
  // Positions move while earlier steps arrive: a zoom begins when all are there.
  const range =
    zoom && isWhole ? ([Math.max(0, zoom[0]), Math.min(last, zoom[1])] as const) : ([0, last] as const);
  useEffect(() => setZoom(undefined), [rows[0]?.id]);
  const row = rows[selected];
  const predicted = useMemo(() => {
    const calls = isWhole ? predictedCalls(rows) : [];
    return new Map(calls.map((call) => [call.at, call]));
  }, [rows, isWhole]);
  return (
    <section class="timeline" aria-label="Timeline">
      {namespace !== "" && <RunCrumb thread={lanes.thread} namespace={namespace} onOpen={lanes.onOpenRun} />}
      <div class="legend">
        <span class="dim">tokens</span>
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
      {row && <StepFigures {...{ rows, window, prices, predicted }} index={selected} />}
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

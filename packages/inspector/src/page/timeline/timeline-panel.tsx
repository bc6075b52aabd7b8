import { useEffect, useMemo, useState } from "preact/hooks";
import { predictedCalls } from "../../shared/cost/predicted-bill.js";
import { parts } from "../../view.js";
import { count, counted } from "../format.js";
import type { View } from "../use-view.js";
import { BranchStrip } from "./branch-strip.js";
import { partsOf } from "./chart-columns.js";
import { Crumb } from "./crumb.js";
import { LaneStrip } from "./lane-strip.js";
import { StepFigures } from "./step-figures.js";
import { TimelineChart } from "./timeline-chart.js";

/** The timeline, what its colors mean, and the chosen step in figures. */
export function TimelinePanel(view: View) {
  const { timeline, spans, prices, select, thread, source, index } = view;
  const { rows, calls, isWhole, window } = timeline;
  const [zoom, setZoom] = useState<readonly [number, number] | undefined>(undefined);
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const last = Math.max(0, rows.length - 1);
  // Positions move while earlier steps arrive: a zoom begins when all are there.
  const range =
    zoom && isWhole ? ([Math.max(0, zoom[0]), Math.min(last, zoom[1])] as const) : ([0, last] as const);
  useEffect(() => setZoom(undefined), [rows[0]?.id]);
  const predicted = useMemo(() => {
    const calls = isWhole ? predictedCalls(rows) : [];
    return new Map(calls.map((call) => [call.at, call]));
  }, [rows, isWhole]);
  return (
    <section class="timeline" aria-label="Timeline">
      <Crumb {...view} />
      <Legend {...view} hovered={hovered} onWhole={zoom && (() => setZoom(undefined))} />
      <TimelineChart
        {...{ rows, calls, range, window, spans }}
        selected={index}
        onSelect={select}
        onRange={setZoom}
        onHover={setHovered}
      />
      {isWhole && <BranchStrip {...{ source, thread, rows, range }} onOpen={view.openBranch} />}
      {isWhole && (
        <LaneStrip
          {...{ rows, range }}
          lanes={timeline.lanes}
          onOpen={view.openThread}
          onOpenRun={view.openRun}
        />
      )}
      {rows.length > 0 && (
        <StepFigures {...{ rows, calls, isWhole, index, window, prices, predicted, select }} />
      )}
    </section>
  );
}

type LegendProps = View & {
  /** Position of the call under the pointer. */
  readonly hovered: number | undefined;
  /** Shows the whole thread again; undefined if it is shown. */
  readonly onWhole: (() => void) | undefined;
};

/** What the colors mean, with the figures of the call under the pointer, or of the chosen one. */
function Legend({ hovered, onWhole, ...view }: LegendProps) {
  const { rows, calls } = view.timeline;
  const seen = rows[hovered ?? view.index] ?? rows[view.index];
  return (
    <div class="legend">
      <span class="dim">
        {hovered === undefined ? "tokens" : `tokens of call ${count(calls.counts[hovered] ?? 0)}`}
      </span>
      {parts.toReversed().map((part, at) => (
        <span key={part} class={`part-${part}`}>
          <span class="swatch" />
          {names[part]} <b>{count(partsOf(seen)[parts.length - 1 - at] ?? 0)}</b>
        </span>
      ))}
      <span class="spacer" />
      {onWhole && (
        <button class="link" onClick={onWhole}>
          whole thread
        </button>
      )}
      <Faults {...view} />
      <Following {...view} />
    </div>
  );
}

/** How much failed; opens the list. */
function Faults({ timeline: { rows }, openTab }: View) {
  const faults = useMemo(() => rows.reduce((sum, row) => sum + row.faults.length, 0), [rows]);
  if (faults === 0) return null;
  return (
    <button class="chip fault" title="Key e: the next one" onClick={() => openTab("errors")}>
      {counted(faults, "error")}
    </button>
  );
}

/** Whether the page follows the agent, and what was added if it does not. */
function Following({ timeline, place, added, source, follow }: View) {
  if (!timeline.isConnected)
    return (
      <span class="chip fault" role="status">
        ○ disconnected, trying again
      </span>
    );
  if (!timeline.isWhole) return <span class="dim">reading, {count(timeline.rows.length)} steps so far</span>;
  if (source.isFile) return null;
  const news = added > 0 ? `${count(added)} new` : "follow";
  return (
    <span role="status">
      <button class={`chip${place.at === "" ? " on" : ""}`} title="Key End" onClick={follow}>
        {place.at === "" ? "● following" : `○ ${news}`}
      </button>
    </span>
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

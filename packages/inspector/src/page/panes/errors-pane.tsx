import { lastUpTo } from "../../shared/call-positions.js";
import type { FaultView } from "../../view.js";
import { count, line, time } from "../format.js";
import type { Pane, PaneProps } from "./pane.js";

/** What failed in the thread: tool calls, summaries and writes to the archive. */
export const errorsPane: Pane = { id: "errors", label: "errors", render: (props) => <Errors {...props} /> };

function Errors({ source, thread, rows, calls, isWhole, go }: PaneProps) {
  const found = rows.flatMap((row, at) => row.faults.map((fault) => ({ row, at, fault })));
  const open = async (at: number, { message }: FaultView): Promise<void> => {
    const next = calls.stops[lastUpTo(calls.stops, at - 1) + 1] ?? at;
    const place = message === null ? null : await source.placeOf(thread, message);
    go({ thread, at: rows[next]?.id ?? "", message: place ?? undefined });
  };
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Errors">
      {!isWhole && <p class="dim">reading …</p>}
      {isWhole && found.length === 0 && <p class="dim">Nothing failed in this thread.</p>}
      {found.map(({ row, at, fault }, number) => (
        <button class="hit fault" key={number} onClick={() => void open(at, fault)}>
          <span class="dim">
            <b>{fault.what}</b> before call {count((calls.counts[at] ?? 0) + (row.calls.length > 0 ? 0 : 1))},{" "}
            {time(row.at)}
          </span>
          <span>{line(fault.text, 300)}</span>
        </button>
      ))}
    </div>
  );
}

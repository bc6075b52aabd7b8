import { lastUpTo, startOf } from "../../shared/call-positions.js";
import { line, plain } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** What changed between two steps, by default since the call before. */
export const changesPane: Pane = {
  id: "changes",
  label: "changes",
  render: (props) => <Changes {...props} />,
};

function Changes({ source, thread, step, rows, calls, index, place: { since }, go }: PaneProps) {
  const chosen = rows.findIndex(({ id }) => id === since);
  const from = rows[chosen < 0 ? startOf(calls, index) - 1 : chosen];
  const at = step?.row.id ?? "";
  const { value = [], error } = useLoaded(
    async () => (from && at !== "" ? source.diff(thread, from.id, at) : []),
    [thread, from?.id, at],
  );
  const choose = (text: string): void => {
    const row = calls.counts.findIndex((count) => count >= Number(text));
    go({ since: text === "" ? "" : (rows[row]?.id ?? "") });
  };
  const before = calls.all === 0 ? "" : String(calls.counts[lastUpTo(calls.stops, index - 1)] ?? "");
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Changes">
      <label class="dim">
        since call{" "}
        <input
          class="step-number"
          inputMode="numeric"
          value={chosen < 0 ? "" : String(calls.counts[chosen])}
          placeholder={before}
          onInput={(event) => choose(event.currentTarget.value.trim())}
        />
      </label>
      {error !== "" && <p class="error">{plain(error)}</p>}
      {value.length === 0 && <p class="dim">Nothing changed.</p>}
      {value.map(({ change, what, name, text }) => (
        <div class={`change ${change}`} key={`${what} ${name}`}>
          <b>{change}</b> {what} <code>{plain(name)}</code>
          <div class="dim">{line(text)}</div>
        </div>
      ))}
    </div>
  );
}

import { lastUpTo, startOf } from "../../shared/call-positions.js";
import type { BranchView } from "../../view.js";
import { counted, line, plain, timeOfStep } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** What changed since another call, by default the one before; or the difference from another branch or another thread. */
export const changesPane: Pane = {
  id: "changes",
  label: "changes",
  render: (props) => <Changes {...props} />,
};

/** In the address, before the name of the thread that the chosen step is compared with. */
const ofThread = "thread:";

function Changes(props: PaneProps) {
  const { source, thread, step } = props;
  const { chosen, isOther, from } = comparedWith(props);
  const at = step?.row.id ?? "";
  const { value = [], error } = useLoaded(async () => {
    if (from === "" || at === "") return [];
    return from.startsWith(ofThread)
      ? source.compare(thread, at, from.slice(ofThread.length))
      : source.diff(thread, from, at);
  }, [source, thread, from, at]);
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Changes">
      <p class="compared">
        <Other {...props} value={isOther ? from : ""} />
        {!isOther && <SinceCall {...props} chosen={chosen} />}
      </p>
      {error !== "" && <p class="error">{plain(error)}</p>}
      {value.length === 0 && <p class="dim">{isOther ? "Both are equal." : "Nothing changed."}</p>}
      {value.map(({ change, what, name, text }) => (
        <div class={`change ${change}`} key={`${what} ${name}`}>
          <b>{change}</b> {what} <code>{plain(name)}</code>
          <div class="dim">{line(text)}</div>
        </div>
      ))}
    </div>
  );
}

/** What the step is compared with: `from` is an id of a checkpoint, or names a thread; `chosen` is the position of a row, or -1. */
function comparedWith({ rows, calls, index, place: { since } }: PaneProps) {
  const chosen = rows.findIndex(({ id }) => id === since);
  if (since !== "" && chosen < 0) return { chosen, isOther: true, from: since };
  const before = rows[chosen < 0 ? startOf(calls, index) - 1 : chosen];
  return { chosen, isOther: false, from: before?.id ?? "" };
}

/** The choice of what the step is compared with. */
function Other({ source, thread, threads, rows, value, go }: PaneProps & { readonly value: string }) {
  const { value: branches = [] } = useLoaded(
    async () => source.branches(thread),
    [source, thread, rows.at(-1)?.id],
  );
  const others = threads.filter((one) => one.thread !== thread);
  return (
    <label class="dim">
      compared with{" "}
      <select value={value} onChange={(event) => go({ since: event.currentTarget.value })}>
        <option value="">an earlier call</option>
        {branches.map((branch) => (
          <option key={branch.tip} value={branch.tip}>
            {branchName(branch)}
          </option>
        ))}
        {others.map((other) => (
          <option key={other.thread} value={`${ofThread}${other.thread}`}>
            the end of {line(other.thread, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}

function branchName({ checkpoints, to, isNewest }: BranchView): string {
  return `the end of the ${isNewest ? "newest" : "other"} branch, ${counted(checkpoints, "checkpoint")}, ${timeOfStep(to)}`;
}

function SinceCall({ rows, calls, index, chosen, go }: PaneProps & { readonly chosen: number }) {
  const choose = (text: string): void => {
    const row = calls.counts.findIndex((count) => count >= Number(text));
    go({ since: text === "" ? "" : (rows[row]?.id ?? "") });
  };
  const before = calls.all === 0 ? undefined : calls.stops[lastUpTo(calls.stops, index - 1)];
  return (
    <label class="dim">
      call{" "}
      <input
        class="step-number"
        inputMode="numeric"
        value={chosen < 0 ? "" : String(calls.counts[chosen])}
        placeholder={before === undefined ? "" : String(calls.counts[before])}
        onInput={(event) => choose(event.currentTarget.value.trim())}
      />
    </label>
  );
}

import { isRegretted, reworkByKind, type ReworkView } from "../../shared/rework-view.js";
import { count, counted, plain } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** What the agent asked for again after each fold. */
export const reworkPane: Pane = { id: "rework", label: "rework", render: (props) => <Rework {...props} /> };

function Rework({ source, thread, rows, select }: PaneProps) {
  const { value = [], error } = useLoaded(async () => source.rework(thread), [source, thread, rows.length]);
  const open = (checkpoint: string): void => select(rows.findIndex(({ id }) => id === checkpoint));
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Rework">
      {error !== "" && <p class="error">{plain(error)}</p>}
      <p class="dim">
        Of what each fold covers, the agent asked within its next 10 calls for the original in the archive, or
        made a tool call again whose result was folded.
      </p>
      <Kinds folds={value} />
      {value.filter(isRegretted).map((one) => (
        <button class="hit" key={one.fold} onClick={() => open(one.checkpoint)}>
          <span class="dim">
            <b>{plain(one.kind)}</b> before call {one.call ?? "–"}
            {one.reason !== "" && `, ${plain(one.reason)}`}, saved {count(one.saved)} tokens
          </span>
          <span>
            {counted(one.originals, "read")} of the originals, {counted(one.repeated, "repeated call")}
          </span>
        </button>
      ))}
    </div>
  );
}

function Kinds({ folds: all }: { readonly folds: readonly ReworkView[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>kind</th>
          {["folds", "asked again", "originals read", "calls repeated"].map((head) => (
            <th class="figure" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {reworkByKind(all).map(({ kind, folds, regretted, originals, repeated }) => (
          <tr key={kind}>
            <td>{plain(kind)}</td>
            {[folds, regretted, originals, repeated].map((figure, column) => (
              <td class="figure" key={column}>
                {count(figure)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

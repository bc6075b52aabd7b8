import { useEffect, useRef } from "preact/hooks";
import { outerNamespace, runName } from "../../shared/run-name.js";
import { plain } from "../format.js";
import type { View } from "../use-view.js";

/** Above the timeline of a run of a subgraph, or of a branch: what it is, and the way back. */
export function Crumb({ thread, place: { namespace, branch }, openRun, openBranch }: View) {
  if (branch !== "") return <Line {...crumbOfBranch} key={branch} onBack={() => openBranch("")} />;
  if (namespace === "") return null;
  const outer = outerNamespace(namespace);
  const back = plain(outer === "" ? thread : runName(outer));
  const note = "a run of a subgraph, with the archive of the thread";
  return (
    <Line
      key={namespace}
      {...{ back, note, name: plain(runName(namespace)) }}
      onBack={() => openRun(outer)}
    />
  );
}

const crumbOfBranch = {
  back: "newest branch",
  name: "branch",
  note: "with its own history, search and bill",
};

interface LineProps {
  readonly back: string;
  readonly name: string;
  readonly note: string;
  readonly onBack: () => void;
}

function Line({ back, name, note, onBack }: LineProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The pressed bar is gone, so move the focus here.
  useEffect(() => button.current?.focus(), []);
  return (
    <p class="crumb">
      <button class="link" ref={button} onClick={onBack}>
        ← {back}
      </button>
      <b>{name}</b>
      <span class="dim ellipsis">{note}</span>
    </p>
  );
}

import { useEffect, useRef } from "preact/hooks";
import { outerNamespace, runName } from "../../shared/run-name.js";
import { plain } from "../format.js";

export interface RunCrumbProps {
  readonly thread: string;
  /** Of a run of a subgraph. */
  readonly namespace: string;
  readonly onOpen: (namespace: string) => void;
}

/** Above the timeline of a run of a subgraph: what it is, and the way back to what started it. */
export function RunCrumb({ thread, namespace, onOpen }: RunCrumbProps) {
  const back = useRef<HTMLButtonElement>(null);
  // The pressed bar is gone, so move the focus here.
  useEffect(() => back.current?.focus(), [namespace]);
  const outer = outerNamespace(namespace);
  return (
    <p class="crumb">
      <button class="link" ref={back} onClick={() => onOpen(outer)}>
        ← {plain(outer === "" ? thread : runName(outer))}
      </button>
      <b>{plain(runName(namespace))}</b>
      <span class="dim ellipsis" title={plain(namespace)}>
        a run of a subgraph, with the archive of the thread
      </span>
    </p>
  );
}

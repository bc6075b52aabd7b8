import { useEffect, useRef } from "preact/hooks";
import { panes } from "../panes/registry.js";

export interface HelpDialogProps {
  readonly canAct: boolean;
  readonly onClose: () => void;
}

const keys: readonly (readonly [keys: string, what: string])[] = [
  ["← → or k j", "the call before and after; with Shift ten"],
  [", .", "the checkpoint before and after, also one that no call was sent"],
  ["Home End", "the first call; the newest, and follow the agent"],
  ["[ ]", "the call after the fold before and after"],
  ["e E", "the next and the previous error"],
  ["g", "type the number of a call"],
  ["o", "open the first fold"],
  ["s", "the system prompt and the tools of the call, where the agent's middleware keeps them"],
  ["a b", "the first subagent, the newest other branch"],
  ["/", "search; Enter opens the first hit"],
  ["Esc", "forget the chosen message"],
  ["?", "this list"],
];

/** The keys, and what the marks of the timeline mean. */
export function HelpDialog({ canAct, onClose }: HelpDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The button at the end would have the focus, to which a narrow window scrolls.
    dialog.current?.focus();
    dialog.current?.scrollTo(0, 0);
  }, []);
  const tabs = panes.map(({ label }, at) => [String(at + 1), label] as const);
  const all = [...keys, ...(canAct ? [["f", "fork the chosen step"] as const] : []), ...tabs];
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title" tabIndex={-1}>
      <h2 id="help-title">Keys and marks</h2>
      <dl class="help">
        {all.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        Each column of the timeline is a call: the prompt that the model was sent, by part. A tick below is a
        checkpoint that no call was sent. A triangle above is a fold, a red tick an error. The dashed line is
        the window. A drag zooms.
      </p>
      <p class="actions">
        <button class="button primary" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}

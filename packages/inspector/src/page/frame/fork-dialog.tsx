import { useEffect, useRef, useState } from "preact/hooks";
import { speaker } from "../../shared/speaker.js";
import type { Act, ForkRequest, MessageView, StepView } from "../../view.js";
import { line, plain } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface ForkDialogProps {
  readonly source: Source;
  readonly thread: string;
  readonly step: StepView;
  /** Place of the chosen message, with which the choice of a message begins. */
  readonly selected: number | undefined;
  readonly onClose: () => void;
  /** Called with the id of the new checkpoint. */
  readonly onWritten: (checkpoint: string) => void;
}

/** Forks the shown step: says what it writes, and writes when that is confirmed. */
export function ForkDialog({ onClose, onWritten, ...rest }: ForkDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [checkpoint, setCheckpoint] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  const finish = (id: string): void => {
    setCheckpoint(id);
    onWritten(id);
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="fork-title">
      <h2 id="fork-title">Fork step {rest.step.row.step ?? ""}</h2>
      {checkpoint === "" ? (
        <ForkForm {...rest} onClose={close} onWritten={finish} />
      ) : (
        <Written thread={rest.thread} checkpoint={checkpoint} onClose={close} />
      )}
    </dialog>
  );
}

function ForkForm({ source, thread, step, selected, onClose, onWritten }: ForkDialogProps) {
  // The step may change behind the dialog when the agent goes on. Confirm what was shown.
  const [shown] = useState(step);
  const [act, setAct] = useState<Act>({ action: "resume" });
  const [writing, setWriting] = useState({ isUnderWay: false, error: "" });
  const request: ForkRequest = { thread, at: shown.row.id, ...act };
  const key = JSON.stringify(request);
  const { value, error } = useLoaded(async () => ({ key, ...(await source.plan(request)) }), [key]);
  const plan = value?.key === key ? value : undefined;
  const write = (): void => {
    setWriting({ isUnderWay: true, error: "" });
    source.fork(request).then(
      ({ checkpoint }) => onWritten(checkpoint),
      (failure: unknown) => setWriting({ isUnderWay: false, error: String(failure) }),
    );
  };
  return (
    <>
      <ActFields step={shown} selected={selected} act={act} onAct={setAct} />
      <div class="plan" aria-live="polite">
        {[error, writing.error].map((text) => text !== "" && <p class="error">{plain(text)}</p>)}
        {plan && <p class="dim">This writes:</p>}
        <ul>
          {plan?.lines.map((text) => (
            <li key={text}>{plain(text)}</li>
          ))}
        </ul>
      </div>
      <p class="actions">
        <button class="button" onClick={onClose}>
          Cancel
        </button>
        <button class="button primary" onClick={write} disabled={plan === undefined || writing.isUnderWay}>
          Write the fork
        </button>
      </p>
    </>
  );
}

interface ActFieldsProps extends Pick<ForkDialogProps, "step" | "selected"> {
  readonly act: Act;
  readonly onAct: (act: Act) => void;
}

/** The choice of what the fork does, and to which fold or message. */
function ActFields({ step, selected, act, onAct }: ActFieldsProps) {
  const messages = step.context.filter(({ id, fold }) => id !== null && fold === null);
  const folds = step.context.flatMap(({ fold }) => (fold === null ? [] : [fold]));
  const message = (messages.find(({ place }) => place === selected) ?? messages.at(-1))?.id ?? "";
  const acts: readonly (readonly [label: string, act: Act | undefined])[] = [
    ["Resume from here, as it is", { action: "resume" }],
    ["Unfold one fold", folds[0] && { action: "unfold", fold: folds[0].id }],
    ["Compact above a message", message === "" ? undefined : { action: "compact", message }],
    ["Pin a message", message === "" ? undefined : { action: "pin", message }],
  ];
  return (
    <>
      <fieldset>
        <legend class="dim">What the fork does</legend>
        {acts.map(([label, choice]) => (
          <label key={label}>
            <input
              type="radio"
              name="action"
              checked={choice?.action === act.action}
              disabled={choice === undefined}
              onChange={() => choice && onAct(choice)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {act.action === "unfold" && (
        <Choice label="Fold" value={act.fold} onChange={(fold) => onAct({ ...act, fold })}>
          {folds.map(({ id, kind, path }) => [id, `${kind}: ${path}`])}
        </Choice>
      )}
      {(act.action === "compact" || act.action === "pin") && (
        <Choice label="Message" value={act.message} onChange={(id) => onAct({ ...act, message: id })}>
          {messages.map((one) => [one.id ?? "", messageLabel(one)])}
        </Choice>
      )}
    </>
  );
}

function messageLabel({ place, type, text, calls }: MessageView): string {
  const number = place === null ? "" : `#${place + 1} `;
  return `${number}${speaker(type)}: ${text === "" ? (calls[0]?.name ?? "") : text}`;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly (readonly [value: string, text: string])[];
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children.map(([id, text]) => (
          <option key={id} value={id}>
            {line(text, 90)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface WrittenProps {
  readonly thread: string;
  readonly checkpoint: string;
  readonly onClose: () => void;
}

function Written({ thread, checkpoint, onClose }: WrittenProps) {
  const config = JSON.stringify({ configurable: { thread_id: thread, checkpoint_id: checkpoint } });
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <>
      <p role="status">The fork is written. An agent goes on from it with this config:</p>
      <pre class="call">{plain(config)}</pre>
      <p class="actions">
        <button class="button primary" ref={button} onClick={onClose}>
          Close
        </button>
      </p>
    </>
  );
}

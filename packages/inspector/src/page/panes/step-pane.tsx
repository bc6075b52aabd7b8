import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FoldView, MessageView } from "../../view.js";
import { count, plain } from "../format.js";
import { MessageCard } from "./message-card.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

/** One frame for each card that fills the pane, and some more. */
const scrollFrames = 8;

export interface StepPaneProps {
  readonly source: Source;
  readonly thread: string;
  /** Id of the checkpoint. */
  readonly at: string;
  readonly context: readonly MessageView[];
  readonly selected: number | undefined;
  readonly onSelect: (place: number) => void;
}

/** What the model is sent at a step. Folds are seams that open in place. */
export function StepPane({ context, at, selected, ...rest }: StepPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    return inFrames(() => {
      const card = selected === undefined ? null : current.querySelector(".card.selected");
      if (card) card.scrollIntoView({ block: "center" });
      else current.scrollTop = current.scrollHeight;
    });
  }, [at, selected]);
  return (
    <div class="scroll" ref={box} tabIndex={0} role="region" aria-label="What the model was sent">
      {context.map((message, index) => (
        <Entry key={message.id ?? index} {...rest} at={at} selected={selected} message={message} />
      ))}
    </div>
  );
}

/**
 * Calls `scroll` in this frame and the next ones; returns a function that stops it. A card out of view has an assumed height.
 * Cards that come into view get their real height, which moves the scroll target.
 */
function inFrames(scroll: () => void): () => void {
  let [left, frame] = [scrollFrames, 0];
  const next = (): void => {
    scroll();
    left -= 1;
    if (left > 0) frame = requestAnimationFrame(next);
  };
  next();
  return () => cancelAnimationFrame(frame);
}

interface EntryProps extends Omit<StepPaneProps, "context"> {
  readonly message: MessageView;
}

function Entry({ message, ...props }: EntryProps) {
  const { source, thread, selected, onSelect } = props;
  const { fold, place } = message;
  const [isOpen, setOpen] = useState(false);
  const card = (
    <MessageCard
      source={source}
      thread={thread}
      message={message}
      isSelected={place !== null && place === selected}
      onSelect={place === null ? undefined : () => onSelect(place)}
    />
  );
  if (fold === null) return card;
  return (
    <section class={`fold${isOpen ? " open" : ""}`}>
      <Seam fold={fold} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      {isOpen ? <Opened {...props} fold={fold} /> : card}
    </section>
  );
}

interface SeamProps {
  readonly fold: FoldView;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Seam({ fold, isOpen, onToggle }: SeamProps) {
  const covered = fold.messages === 1 ? "1 message" : `${count(fold.messages)} messages`;
  return (
    <button class="seam" aria-expanded={isOpen} onClick={onToggle} title={plain(fold.path)}>
      <span class="arrow">{isOpen ? "▾" : "▸"}</span>
      <b>{plain(fold.kind)}</b>
      <span>{covered}</span>
      {fold.reason !== "" && <span class="dim">{plain(fold.reason)}</span>}
      <span class="spacer" />
      {fold.usage !== null && (
        <span class="dim">
          summary read {count(fold.usage.input)}, wrote {count(fold.usage.output)}
        </span>
      )}
      <span class="dim">
        {count(fold.before)} → {count(fold.after)} tokens
      </span>
    </button>
  );
}

function Opened({ fold, ...props }: Omit<EntryProps, "message"> & { readonly fold: FoldView }) {
  const { source, thread, at } = props;
  const { value, error } = useLoaded(async () => source.open(thread, at, fold.id), [thread, at, fold.id]);
  if (error !== "") return <p class="error">{plain(error)}</p>;
  if (value === undefined) return <p class="dim pad">opening …</p>;
  return (
    <div class="originals">
      {value.map((message, index) => (
        <Entry key={message.id ?? index} {...props} message={message} />
      ))}
    </div>
  );
}

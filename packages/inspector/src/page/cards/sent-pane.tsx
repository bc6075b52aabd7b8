import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CallView, FoldView, MessageView, PromptView, StepView } from "../../view.js";
import { count, counted, plain } from "../format.js";
import { MessageCard } from "./message-card.js";
import { PromptText, promptTitle } from "./prompt.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

/** One frame for each card that fills the pane, and some more. */
const scrollFrames = 8;

export interface SentPaneProps {
  readonly source: Source;
  readonly thread: string;
  readonly step: StepView;
  readonly selected: number | undefined;
  readonly onSelect: (place: number) => void;
}

/**
 * What the model was sent at a call, and what it replied; or the messages of a checkpoint that no call was sent. Folds are
 * seams that open in place.
 */
export function SentPane({ step, selected, ...rest }: SentPaneProps) {
  const { context, row, prompt } = step;
  const at = row.id;
  const [isPromptOpen, setPromptOpen] = useState(false);
  const openPrompt = (): void => {
    setPromptOpen(!isPromptOpen);
    box.current?.scrollTo(0, 0);
  };
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
  const call = row.calls.at(-1);
  const end = call?.sent ?? context.length;
  const entries = (from: number, to?: number) =>
    context
      .slice(from, to)
      .map((message, index) => (
        <Entry key={message.id ?? from + index} {...rest} at={at} selected={selected} message={message} />
      ));
  return (
    <div class="scroll" ref={box} tabIndex={0} role="region" aria-label="What the model was sent">
      <Head call={call} messages={end} prompt={prompt} isOpen={isPromptOpen} onToggle={openPrompt} />
      {prompt !== null && call !== undefined && isPromptOpen && (
        <PromptText {...rest} step={step} prompt={prompt} />
      )}
      {entries(0, end)}
      {call !== undefined && (
        <div class="replied">
          <h2>
            <Sizes what="replied" sizes={`${count(call.reported?.output ?? call.reply)} tokens`} />
          </h2>
          {entries(end)}
        </div>
      )}
    </div>
  );
}

interface HeadProps {
  /** Undefined for a checkpoint that no call was sent. */
  readonly call: CallView | undefined;
  readonly messages: number;
  readonly prompt: PromptView | null;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Head({ call, messages, prompt, isOpen, onToggle }: HeadProps) {
  if (call === undefined)
    return (
      <h2 class="sent-head">
        <span class="unsent">not sent: the state between two calls</span>
      </h2>
    );
  return (
    <h2 class="sent-head">
      <Sizes what="sent" sizes={`${counted(messages, "message")}, ${count(sum(call.tokens))} tokens`} />
      {prompt !== null && (
        <button class="link" aria-expanded={isOpen} title="Key s" onClick={onToggle}>
          {promptTitle(prompt)}
        </button>
      )}
    </h2>
  );
}

function Sizes({ what, sizes }: { readonly what: string; readonly sizes: string }) {
  return (
    <>
      {what} <span class="dim">{sizes}</span>
    </>
  );
}

function sum(tokens: readonly number[]): number {
  return tokens.reduce((whole, part) => whole + part, 0);
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

interface EntryProps extends Omit<SentPaneProps, "step"> {
  /** Id of the checkpoint. */
  readonly at: string;
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
  const covered = counted(fold.messages, "message");
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

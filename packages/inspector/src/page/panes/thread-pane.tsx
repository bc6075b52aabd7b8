import { useEffect, useRef, useState } from "preact/hooks";
import { speaker } from "../../shared/speaker.js";
import type { MessageView, StepView } from "../../view.js";
import { count, line, plain } from "../format.js";
import { MessageCard } from "../cards/message-card.js";
import { WhyLine } from "../cards/why-line.js";
import { VirtualList } from "../cards/virtual-list.js";
import type { Pane, PaneProps } from "./pane.js";

/** The thread as it happened up to a step, message by message, with what the model still sees of each. */
export const threadPane: Pane = {
  id: "thread",
  label: "as it happened",
  render: ({ step, ...props }) => step && <Thread {...props} step={step} />,
};

type ThreadProps = Omit<PaneProps, "step"> & { readonly step: StepView };

const rowHeight = 30;
const page = 200;

function Thread({ source, thread, step, happened = 0, place: { message: selected }, ...rest }: ThreadProps) {
  const { choose } = rest;
  const pages = useRef(new Map<number, readonly MessageView[]>());
  const [, redraw] = useState(0);
  useEffect(() => pages.current.clear(), [source, thread]);
  const load = async (number: number): Promise<void> => {
    pages.current.set(number, []);
    pages.current.set(number, await source.messages(thread, number * page, (number + 1) * page));
    redraw((times) => times + 1);
  };
  const states = statesOf(step);
  const at = (index: number): MessageView | undefined =>
    pages.current.get(Math.floor(index / page))?.[index % page];
  const chosen = selected === undefined ? undefined : at(selected);
  return (
    <div class="column">
      <VirtualList
        length={happened}
        rowHeight={rowHeight}
        label="The thread as it happened"
        focus={selected ?? happened - 1}
        onRange={(from, to) => {
          for (let number = Math.floor(from / page); number * page < to; number++)
            if ((pages.current.get(number)?.length ?? 0) < Math.min(page, happened - number * page))
              void load(number);
        }}
        row={(index) => (
          <Row
            message={at(index)}
            index={index}
            state={states.get(index) ?? "folded"}
            isSelected={index === selected}
            onSelect={() => choose(index)}
          />
        )}
      />
      {chosen !== undefined && (
        <Detail {...rest} {...{ source, thread }} message={chosen} key={chosen.place} />
      )}
    </div>
  );
}

type DetailProps = Pick<PaneProps, "source" | "thread" | "rows" | "calls" | "select" | "go"> & {
  readonly message: MessageView;
};

/** The chosen message, and what became of it. */
function Detail({ source, thread, rows, calls, select, go, message }: DetailProps) {
  return (
    <div class="detail">
      <WhyLine
        {...{ source, thread }}
        place={message.place ?? 0}
        rows={rows.length}
        onCall={(number) => select(calls.counts.findIndex((count) => count >= number))}
        onFile={(file) => go({ tab: "files", file })}
      />
      <MessageCard {...{ source, thread, message }} />
    </div>
  );
}

/** What the model sees of a message. */
type State = "in sight" | "shortened" | "folded";

function statesOf({ context }: StepView): ReadonlyMap<number, State> {
  return new Map(
    context.flatMap(({ place, fold }) =>
      place === null ? [] : [[place, fold === null ? "in sight" : "shortened"] as const],
    ),
  );
}

interface RowProps {
  readonly message: MessageView | undefined;
  readonly index: number;
  readonly state: State;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function Row({ message, index, state, isSelected, onSelect }: RowProps) {
  if (message === undefined) return <div class="row dim">…</div>;
  const calls = message.calls.map(({ name }) => `${name}()`).join(" ");
  return (
    <button
      class={`row part-${message.part} ${state.replace(" ", "-")}${isSelected ? " selected" : ""}`}
      onClick={onSelect}
      aria-pressed={isSelected}
      title={state}
    >
      <span class="number">{index + 1}</span>
      <span class="swatch" />
      <span class="who">{message.name === null ? speaker(message.type) : plain(message.name)}</span>
      <span class="what">{line(message.text === "" ? calls : message.text)}</span>
      <span class="state">
        {message.isFailed && <span class="failed">failed </span>}
        {state === "in sight" ? "" : state}
      </span>
      <span class="dim">{count(message.tokens)}</span>
    </button>
  );
}

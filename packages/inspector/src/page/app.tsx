import { useMemo, useRef } from "preact/hooks";
import type { StepView } from "../view.js";
import { CopyButton } from "./cards/copy-button.js";
import { SentPane } from "./cards/sent-pane.js";
import { plain } from "./format.js";
import { AccessScreen } from "./frame/access-screen.js";
import { ForkDialog } from "./frame/fork-dialog.js";
import { HelpDialog } from "./frame/help-dialog.js";
import { ThreadList } from "./frame/thread-list.js";
import { panes } from "./panes/registry.js";
import { linkTo } from "./place.js";
import type { Source } from "./source/source.js";
import { TimelinePanel } from "./timeline/timeline-panel.js";
import { useView, type View } from "./use-view.js";

/** The page: threads, the timeline of one, and at the chosen call what the model was sent beside what happened. */
export function App({ source }: { readonly source: Source }) {
  const view = useView(source);
  const { threads, thread, place, timeline, error } = view;
  const toFork = useStepToFork(view);
  if (view.isRefused) return <AccessScreen />;
  return (
    <>
      <Top {...view} />
      <div class="body">
        <ThreadList
          {...{ source, threads, thread }}
          newest={timeline.isWhole ? timeline.rows.at(-1) : undefined}
          isRun={place.namespace !== "" || place.branch !== ""}
          isShown={view.happened !== undefined}
          onSelect={view.openThread}
        />
        <main>
          {error !== "" && <Failure {...view} />}
          {thread === "" ? <Empty {...view} /> : <Thread {...view} />}
        </main>
      </div>
      {toFork && (
        <ForkDialog
          {...{ source, thread, step: toFork }}
          selected={place.message}
          onClose={() => view.setDialog("")}
          onWritten={view.openBranch}
        />
      )}
      {view.dialog === "help" && <HelpDialog canAct={view.canAct} onClose={() => view.setDialog("")} />}
    </>
  );
}

function Thread(view: View) {
  const { thread, place } = view;
  return (
    <>
      <TimelinePanel {...view} />
      <div
        key={`${thread} ${place.namespace} ${place.branch}`}
        class={`panes ${view.isSent ? "show-sent" : "show-side"}`}
      >
        <Sent {...view} />
        <Side {...view} />
      </div>
    </>
  );
}

function Failure({ error, threads, thread, openThread }: View) {
  const other = threads.find((one) => one.thread !== thread)?.thread;
  return (
    <p class="error" role="alert">
      {plain(error)}{" "}
      {other !== undefined && (
        <button class="link" onClick={() => openThread(other)}>
          Open {plain(other)}
        </button>
      )}
    </p>
  );
}

function Empty({ isRead }: View) {
  return (
    <p class="pad" role="status">
      {isRead
        ? "There are no threads yet. The page shows the first one as soon as an agent has run."
        : "reading …"}
    </p>
  );
}

/** Returns the step that was chosen when the dialog opened. While it loads, the view still has the previous one. */
function useStepToFork({ dialog, step, timeline, index }: View): StepView | undefined {
  const asked = useRef<StepView | undefined>(undefined);
  if (dialog !== "fork") asked.current = undefined;
  else if (step?.row.id === timeline.rows[index]?.id) asked.current ??= step;
  return asked.current;
}

function Top({ place, thread, source, setWords, setDialog, openHit }: View) {
  const openFirst = async (words: string): Promise<void> => {
    const { hits } = await source.search(words, thread);
    const [hit] = hits;
    if (hit !== undefined) openHit(hit);
  };
  return (
    <header class="top">
      <h1>Palimpsest</h1>
      <input
        type="search"
        placeholder="Search the thread"
        aria-label="Search"
        value={place.words}
        // Has the thread read while the words are typed: the first search reads all of it.
        onFocus={() => void source.search("", thread).catch(() => undefined)}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") void openFirst(event.currentTarget.value);
        }}
      />
      <span class="spacer" />
      {!source.isFile && (
        <CopyButton text={() => linkTo({ ...place, thread })} label="Copy link to this place, with the token">
          copy link
        </CopyButton>
      )}
      <button class="link" title="Key ?" onClick={() => setDialog("help")}>
        keys
      </button>
    </header>
  );
}

function Sent({ source, thread, step, place, isSent, showSent, choose, ...view }: View) {
  // Typing words changes the place: without this, each letter would compare hundreds of cards.
  const shown = useMemo(
    () => step && <SentPane {...{ source, thread, step }} selected={place.message} onSelect={choose} />,
    [source, thread, step, place.message],
  );
  return (
    <section class="pane sent" aria-busy={view.isLoading}>
      <div class="tabs">
        <button aria-pressed={isSent} onClick={showSent}>
          what the model was sent
        </button>
        <span class="spacer" />
        {view.canAct && step && (
          <button class="link" title="Key f" onClick={() => view.setDialog("fork")}>
            fork …
          </button>
        )}
      </div>
      {shown}
    </section>
  );
}

function Side(view: View) {
  const { place, timeline } = view;
  const shown = panes.find(({ id }) => id === place.tab) ?? panes[0];
  return (
    <section class="pane side">
      <div class="tabs">
        {panes.map(({ id, label }) => (
          <button key={id} aria-pressed={id === shown?.id} onClick={() => view.openTab(id)}>
            {label}
          </button>
        ))}
      </div>
      {shown?.render({ ...view, ...timeline })}
    </section>
  );
}

import { useRef } from "preact/hooks";
import type { StepView } from "../view.js";
import { BillPane } from "./panes/bill-pane.js";
import { ForkDialog } from "./panes/fork-dialog.js";
import { plain } from "./format.js";
import { tabs } from "./place.js";
import { ChangesPane, FilesPane, SearchPane } from "./panes/side-panes.js";
import type { Source } from "./source/source.js";
import { StepPane } from "./panes/step-pane.js";
import { ThreadList } from "./panes/thread-list.js";
import { ThreadPane } from "./panes/thread-pane.js";
import { TimelinePanel } from "./timeline/timeline-panel.js";
import { useView, type View } from "./use-view.js";

/** The page: threads, the timeline of one, and at the chosen step what the model was sent beside what happened. */
export function App({ source }: { readonly source: Source }) {
  const view = useView(source);
  const { threads, thread, place, timeline, index, spans, error } = view;
  const { namespace } = place;
  const toFork = useStepToFork(view);
  return (
    <>
      <Top {...view} />
      <div class="body">
        <ThreadList
          {...{ source, threads, thread }}
          newest={timeline.isWhole ? timeline.rows.at(-1) : undefined}
          isRun={namespace !== ""}
          isShown={view.happened !== undefined}
          onSelect={view.openThread}
        />
        <main>
          {error !== "" && <p class="error">{plain(error)}</p>}
          <TimelinePanel
            {...{ thread, namespace, timeline, spans }}
            source={view.source}
            prices={view.prices}
            selected={index}
            onSelect={view.select}
            onOpen={view.openThread}
            onOpenRun={view.openRun}
          />
          <div key={`${thread} ${namespace}`} class={`panes ${view.isSent ? "show-sent" : "show-side"}`}>
            <SentPane {...view} />
            <SidePane {...view} />
          </div>
        </main>
      </div>
      {toFork && (
        <ForkDialog
          {...{ source, thread, step: toFork }}
          selected={view.place.message}
          onClose={() => view.setForking(false)}
          onWritten={view.openStep}
        />
      )}
    </>
  );
}

/** Returns the step that was chosen when the dialog opened. While it loads, the view still has the previous one. */
function useStepToFork({ isForking, step, timeline, index }: View): StepView | undefined {
  const asked = useRef<StepView | undefined>(undefined);
  if (!isForking) asked.current = undefined;
  else if (step?.row.id === timeline.rows[index]?.id) asked.current ??= step;
  return asked.current;
}

function Top({ words, setWords, canAct }: View) {
  return (
    <header class="top">
      <h1>Palimpsest</h1>
      <input
        type="search"
        placeholder="Search the thread"
        aria-label="Search"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <span class="keys dim">
        <kbd>←</kbd> <kbd>→</kbd> step, <kbd>[</kbd> <kbd>]</kbd> fold, <kbd>/</kbd> search, <kbd>1</kbd> to{" "}
        <kbd>{tabs.length}</kbd> panes
        {canAct && (
          <>
            , <kbd>f</kbd> fork
          </>
        )}
      </span>
    </header>
  );
}

function SentPane({ source, thread, step, place, isSent, showSent, choose, ...view }: View) {
  return (
    <section class="pane sent">
      <div class="tabs">
        <button aria-pressed={isSent} onClick={showSent}>
          what the model was sent
        </button>
        <span class="spacer" />
        {view.canAct && step && (
          <button class="link" title="Key f" onClick={() => view.setForking(true)}>
            fork …
          </button>
        )}
      </div>
      {step && (
        <StepPane
          {...{ source, thread }}
          at={step.row.id}
          context={step.context}
          selected={place.message}
          onSelect={choose}
        />
      )}
    </section>
  );
}

function SidePane(view: View) {
  const { source, thread, step, place, timeline, index, words } = view;
  const pane = { source, thread };
  return (
    <section class="pane side">
      <div class="tabs">
        {tabs.map((tab) => (
          <button key={tab} aria-pressed={tab === place.tab} onClick={() => view.openTab(tab)}>
            {tab === "thread" ? "as it happened" : tab}
          </button>
        ))}
      </div>
      {step && place.tab === "thread" && (
        <ThreadPane
          {...pane}
          step={step}
          happened={view.happened}
          selected={place.message}
          onSelect={view.choose}
        />
      )}
      {place.tab === "search" && <SearchPane {...pane} words={words} onHit={view.openHit} />}
      {step && place.tab === "files" && <FilesPane {...pane} step={step} />}
      {step && place.tab === "changes" && (
        <ChangesPane {...pane} step={step} rows={timeline.rows} index={index} />
      )}
      {place.tab === "bill" && (
        <BillPane {...pane} rows={timeline.isWhole ? timeline.rows : []} prices={view.prices} />
      )}
    </section>
  );
}

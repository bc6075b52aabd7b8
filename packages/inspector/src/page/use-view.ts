import { useMemo, useRef, useState } from "preact/hooks";
import type { PlacesView, SearchHit, StepView, ThreadView } from "../view.js";
import { tabs, usePlace, type Place, type Tab } from "./place.js";
import { usePrices, type TypedPrices } from "./prices.js";
import type { Source } from "./source/source.js";
import { useKeys } from "./use-keys.js";
import { useLoaded } from "./source/use-loaded.js";
import { useTimeline, type Timeline } from "./timeline/use-timeline.js";

/** What the page shows, and how to show something else. */
export interface View {
  /** The source of everything but the list of threads: the chosen run of a subgraph, if one is chosen. */
  readonly source: Source;
  readonly threads: readonly ThreadView[];
  /** The chosen thread, by default the newest; empty until the threads are known. */
  readonly thread: string;
  readonly place: Place;
  readonly timeline: Timeline;
  /** Position of the chosen row. */
  readonly index: number;
  /** The chosen step, or the previous one while it loads. Undefined while the first one of a thread loads. */
  readonly step: StepView | undefined;
  /** Messages of the thread as it was at the chosen step; undefined while the thread loads. */
  readonly happened: number | undefined;
  /** Steps at which the chosen message was in the context; undefined without one. */
  readonly spans: readonly (readonly [number, number])[] | undefined;
  /** The words of the search. */
  readonly words: string;
  /** Whether a narrow page shows what was sent, in place of the other pane. */
  readonly isSent: boolean;
  /** Whether forks can be written, and whether the dialog for it is open. */
  readonly canAct: boolean;
  readonly isForking: boolean;
  readonly prices: TypedPrices;
  /** What failed; empty when nothing did. */
  readonly error: string;
  readonly setWords: (words: string) => void;
  readonly showSent: () => void;
  readonly openTab: (tab: Tab) => void;
  readonly openThread: (thread: string) => void;
  /** Opens a run of a subgraph, or its agent if the namespace is empty, at the step that was last shown. */
  readonly openRun: (namespace: string) => void;
  readonly openHit: (hit: SearchHit) => void;
  readonly select: (index: number) => void;
  readonly choose: (message: number | undefined) => void;
  readonly setForking: (isForking: boolean) => void;
  readonly openStep: (checkpoint: string) => void;
}

/** Reads what the address names. */
export function useView(whole: Source): View {
  const [place, go] = usePlace();
  const source = useMemo(() => whole.within(place.namespace), [whole, place.namespace]);
  const [words, setWords] = useState("");
  const [isSent, setSent] = useState(true);
  const [isForking, setForking] = useState(false);
  const { value: canAct = false } = useLoaded(async () => whole.canAct(), [whole]);
  const { value: threads = [], error } = useLoaded(async () => whole.threads(), [whole]);
  const thread = place.thread === "" ? (threads[0]?.thread ?? "") : place.thread;
  const openRun = useOpenRun({ ...place, thread }, go);
  const timeline = useTimeline(source, thread);
  const { rows } = timeline;
  const positions = useMemo(() => new Map(rows.map(({ id }, position) => [id, position])), [rows]);
  const index = positions.get(place.at) ?? rows.length - 1;
  const shown = useStep(source, thread, rows[index]?.id);
  const spans = useSpans({ source, thread, place, rows: rows.length });
  const openTab = (tab: Tab): void => {
    setSent(false);
    go({ thread, tab });
  };
  const prices = usePrices();
  const read = { prices, source, threads, thread, place, timeline, index, spans, words, isSent, openTab };
  const view: View = {
    ...read,
    ...shown,
    canAct: canAct && place.namespace === "",
    isForking,
    setForking,
    openStep: (checkpoint) => go({ thread, at: checkpoint, message: undefined }),
    error: [error, timeline.error, shown.error].find((text) => text !== "") ?? "",
    setWords(next) {
      setWords(next);
      openTab("search");
    },
    showSent: () => setSent(true),
    openThread: (next) => go({ thread: next, namespace: "", at: "", message: undefined }),
    openRun,
    openHit: (hit) => go({ thread: hit.thread, namespace: hit.namespace, message: hit.place, tab: "thread" }),
    select: (row) => go({ thread, at: rows[Math.min(Math.max(row, 0), rows.length - 1)]?.id ?? "" }),
    choose: (message) => go({ thread, message }),
  };
  useViewKeys(view);
  return view;
}

/** Returns the function that opens another run of the thread, or its agent, at the step that was last shown. */
function useOpenRun({ thread, namespace, at }: Place, go: (change: Partial<Place>) => void): View["openRun"] {
  const shown = useRef(new Map<string, string>());
  return (next) => {
    shown.current.set(JSON.stringify([thread, namespace]), at);
    const known = shown.current.get(JSON.stringify([thread, next])) ?? "";
    go({ thread, namespace: next, at: known, message: undefined });
  };
}

/**
 * The step of a checkpoint, at first without its places in the thread, which need the whole thread. While it loads, returns the
 * previous step, but none of another thread or run.
 */
function useStep(source: Source, thread: string, at: string | undefined) {
  const owner = useMemo(() => Symbol(thread), [source, thread]);
  const read = useLoaded(
    async () => (at === undefined ? undefined : { owner, step: await source.step(thread, at) }),
    [owner, at],
  );
  const step = read.value?.owner === owner ? read.value.step : undefined;
  // Asked for after the step: the server reads the whole thread for the first answer.
  const isRead = at !== undefined && step?.row.id === at;
  const placed = useLoaded(
    async () => (isRead ? { owner, places: await source.places(thread, at) } : undefined),
    [owner, at, isRead],
  );
  const places = placed.value?.owner === owner ? placed.value.places : undefined;
  return {
    step: step && withPlaces(step, places),
    happened: places?.happened,
    error: read.error === "" ? placed.error : read.error,
  };
}

function withPlaces(step: StepView, placed: PlacesView | undefined): StepView {
  // While another step loads, its places are those of the previous step.
  if (placed?.places.length !== step.context.length) return step;
  return {
    ...step,
    context: step.context.map((message, at) => ({ ...message, place: placed.places[at] ?? null })),
  };
}

interface SpansOptions extends Pick<View, "source" | "thread" | "place"> {
  readonly rows: number;
}

/** Returns the steps at which the chosen message was in the context. Asks again when rows are added, because positions move. */
function useSpans({ source, thread, place, rows }: SpansOptions): View["spans"] {
  const { message } = place;
  const load = async () => {
    if (message === undefined || thread === "") return undefined;
    const [chosen] = await source.messages(thread, message, message + 1);
    return chosen?.id == null ? [] : source.sight(thread, chosen.id);
  };
  return useLoaded(load, [source, thread, message, rows]).value;
}

function useViewKeys({ index, timeline, select, choose, openTab, ...view }: View): void {
  const { rows } = timeline;
  useKeys({
    ...(view.canAct ? { f: () => view.setForking(true) } : {}),
    ArrowLeft: () => select(index - 1),
    ArrowRight: () => select(index + 1),
    "Shift+ArrowLeft": () => select(index - 10),
    "Shift+ArrowRight": () => select(index + 10),
    Home: () => select(0),
    End: () => select(rows.length - 1),
    "[": () => select(rows.findLastIndex(({ folds }, row) => row < index && folds.length > 0)),
    "]": () => select(rows.findIndex(({ folds }, row) => row > index && folds.length > 0)),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    Escape: () => choose(undefined),
    ...Object.fromEntries(tabs.map((tab, number) => [String(number + 1), () => openTab(tab)])),
  });
}

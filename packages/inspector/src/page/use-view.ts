import { useMemo, useRef, useState } from "preact/hooks";
import { lastUpTo, stopFrom } from "../shared/call-positions.js";
import type { SearchHit, StepView, ThreadView } from "../view.js";
import { panes } from "./panes/registry.js";
import { start, usePlace, type Place } from "./place.js";
import { usePrices, type TypedPrices } from "./prices.js";
import type { Source } from "./source/source.js";
import { useKeys } from "./use-keys.js";
import { useStep } from "./use-step.js";
import { useLoaded } from "./source/use-loaded.js";
import { useThreads } from "./source/use-threads.js";
import { useTimeline, type Timeline } from "./timeline/use-timeline.js";

/** What the page shows, and how to show something else. */
export interface View {
  /** The source of everything but the list of threads: the chosen branch and the chosen run of a subgraph, if any. */
  readonly source: Source;
  readonly threads: readonly ThreadView[];
  /** Whether the threads are known. */
  readonly isRead: boolean;
  /** The chosen thread, by default the newest; empty until the threads are known. */
  readonly thread: string;
  readonly place: Place;
  readonly timeline: Timeline;
  /** Position of the chosen row: by default that of the newest call. */
  readonly index: number;
  /** Calls that were added since the page has left the newest one. */
  readonly added: number;
  /** The chosen step, or the previous one while it loads. Undefined while the first one of a thread loads. */
  readonly step: StepView | undefined;
  /** Whether the chosen step loads. */
  readonly isLoading: boolean;
  /** Messages of the thread as it was at the chosen step; undefined while the thread loads. */
  readonly happened: number | undefined;
  /** Steps at which the chosen message was in the context; undefined without one. */
  readonly spans: readonly (readonly [number, number])[] | undefined;
  /** Whether a narrow page shows what was sent, in place of the other pane. */
  readonly isSent: boolean;
  /** Whether forks can be written. */
  readonly canAct: boolean;
  /** The open dialog. */
  readonly dialog: Dialog;
  readonly prices: TypedPrices;
  /** What failed; empty when nothing did. */
  readonly error: string;
  /** True if the server refuses the token of the page. */
  readonly isRefused: boolean;
  readonly go: (change: Partial<Place>) => void;
  readonly setWords: (words: string) => void;
  readonly showSent: () => void;
  readonly openTab: (tab: string) => void;
  readonly openThread: (thread: string) => void;
  /** Opens a run of a subgraph, or its agent if the namespace is empty, at the step that was last shown. */
  readonly openRun: (namespace: string) => void;
  readonly openHit: (hit: SearchHit) => void;
  readonly select: (index: number) => void;
  /** Shows the newest call, and each one that is added. */
  readonly follow: () => void;
  readonly choose: (message: number | undefined) => void;
  readonly setDialog: (dialog: Dialog) => void;
  /** Opens a branch by one of its checkpoints; without one the newest branch. */
  readonly openBranch: (checkpoint: string) => void;
}

export type Dialog = "" | "fork" | "help";

/** Reads what the address names. */
export function useView(whole: Source): View {
  const [place, go] = usePlace();
  const { namespace, branch } = place;
  const source = useMemo(() => whole.within({ namespace, branch }), [whole, namespace, branch]);
  const [isSent, setSent] = useState(true);
  const [dialog, setDialog] = useState<Dialog>("");
  const { value: canAct = false } = useLoaded(async () => whole.canAct(), [whole]);
  const { threads, isRead, error } = useThreads(whole);
  const thread = place.thread === "" ? (threads[0]?.thread ?? "") : place.thread;
  const timeline = useTimeline(source, thread);
  const { rows, calls } = timeline;
  const positions = useMemo(() => new Map(rows.map(({ id }, position) => [id, position])), [rows]);
  const index = positions.get(place.at) ?? calls.stops.at(-1) ?? rows.length - 1;
  const shown = useStep(source, thread, rows[index]?.id);
  const view: View = {
    source,
    threads,
    isRead,
    thread,
    place,
    timeline,
    index,
    isSent,
    dialog,
    setDialog,
    ...shown,
    ...movesOf({ place: { ...place, thread }, rows, go, setSent }),
    openRun: useOpenRun({ ...place, thread }, go),
    added: useAdded(timeline, place.at === "", source),
    spans: useSpans({ source, thread, place, rows: rows.length }),
    prices: usePrices(),
    canAct: canAct && namespace === "",
    isRefused: error.startsWith("AccessError"),
    error: [error, timeline.error, shown.error].find((text) => text !== "") ?? "",
  };
  useViewKeys(view);
  return view;
}

interface MovesOptions {
  readonly place: Place;
  readonly rows: Timeline["rows"];
  readonly go: View["go"];
  readonly setSent: (isSent: boolean) => void;
}

/** Returns the ways to show something else. */
function movesOf({ place: { thread, namespace }, rows, go, setSent }: MovesOptions) {
  return {
    go,
    setWords(words: string): void {
      setSent(false);
      go({ thread, words, tab: "search" });
    },
    showSent: () => setSent(true),
    openTab(tab: string): void {
      setSent(false);
      go({ thread, tab });
    },
    openThread: (next: string) => go({ ...start, thread: next }),
    openBranch: (checkpoint: string) => go({ thread, ...start, namespace, branch: checkpoint }),
    openHit(hit: SearchHit): void {
      const isHere = hit.thread === thread && hit.namespace === namespace;
      const { thread: of, namespace: run, place: message } = hit;
      go({ ...(isHere ? {} : start), thread: of, namespace: run, message, tab: "thread" });
    },
    select: (row: number) => go({ thread, at: rows[Math.min(Math.max(row, 0), rows.length - 1)]?.id ?? "" }),
    follow: () => go({ thread, at: "" }),
    choose: (message: number | undefined) => go({ thread, message }),
  };
}

/** Counts the calls that were added since the newest one was shown. */
function useAdded({ calls, isWhole }: Timeline, isNewest: boolean, source: Source): number {
  const seen = useRef({ source, count: 0 });
  if (seen.current.source !== source || isNewest || !isWhole) seen.current = { source, count: calls.all };
  // Links to an earlier call begin to count when the thread is read.
  if (seen.current.count === 0) seen.current.count = calls.all;
  return calls.all - seen.current.count;
}

/** Returns the function that opens another run of the thread, or its agent, at the step that was last shown. */
function useOpenRun({ thread, namespace, at }: Place, go: (change: Partial<Place>) => void): View["openRun"] {
  const shown = useRef(new Map<string, string>());
  return (next) => {
    shown.current.set(JSON.stringify([thread, namespace]), at);
    const known = shown.current.get(JSON.stringify([thread, next])) ?? "";
    go({ ...start, thread, namespace: next, at: known });
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
  return useLoaded(load, [rows], [source, thread, message]).value;
}

function useViewKeys({ index, timeline, select, choose, openTab, follow, ...view }: View): void {
  const { rows, calls } = timeline;
  const by = (steps: number) => () => select(stopFrom(calls, index, steps));
  /** Selects the first call that was sent what a row did, or the row itself if no call follows. */
  const sent = (row: number): void => {
    if (row >= 0) select(calls.stops[lastUpTo(calls.stops, row - 1) + 1] ?? row);
  };
  const start = (calls.stops[lastUpTo(calls.stops, index - 1)] ?? -1) + 1;
  const before = (isOne: (row: (typeof rows)[number]) => boolean) => () =>
    sent(rows.findLastIndex((row, at) => at < start && isOne(row)));
  const after = (isOne: (row: (typeof rows)[number]) => boolean) => () =>
    sent(rows.findIndex((row, at) => at > index && isOne(row)));
  const [hasFolds, hasFaults] = [
    ({ folds }: (typeof rows)[number]) => folds.length > 0,
    ({ faults }: (typeof rows)[number]) => faults.length > 0,
  ];
  useKeys({
    ...(view.canAct ? { f: () => view.setDialog("fork") } : {}),
    "?": () => view.setDialog("help"),
    ArrowLeft: by(-1),
    ArrowRight: by(1),
    "Shift+ArrowLeft": by(-10),
    "Shift+ArrowRight": by(10),
    k: by(-1),
    j: by(1),
    ",": () => select(index - 1),
    ".": () => select(index + 1),
    Home: () => select(calls.stops[0] ?? 0),
    End: follow,
    "[": before(hasFolds),
    "]": after(hasFolds),
    e: after(hasFaults),
    E: before(hasFaults),
    g: () => document.querySelector<HTMLInputElement>(".call-number")?.select(),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    o: press(".sent .seam"),
    s: press(".sent-head button"),
    a: press(".lanes[data-name=agents] button"),
    b: press(".lanes[data-name=branches] button"),
    Escape: () => choose(undefined),
    ...Object.fromEntries(panes.map(({ id }, number) => [String(number + 1), () => openTab(id)])),
  });
}

function press(selector: string): () => void {
  return () => document.querySelector<HTMLElement>(selector)?.click();
}

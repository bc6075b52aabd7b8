import { useEffect, useRef, useState } from "preact/hooks";

/** The place that the address names. A link to it shows the same. */
export interface Place {
  readonly thread: string;
  /** Of the checkpoints of a run of a subgraph; empty for the agent of the thread. */
  readonly namespace: string;
  /** Id of a checkpoint; empty for the newest. */
  readonly at: string;
  readonly tab: Tab;
  /** Position of a message in the whole thread. */
  readonly message: number | undefined;
}

export const tabs = ["thread", "search", "files", "changes", "bill"] as const;
export type Tab = (typeof tabs)[number];

const stored = "palimpsest-token";
/** Milliseconds between two changes of the address. */
const pause = 100;

/** Takes the token out of the address, where a screenshot or a copied link would show it. */
export function takeToken(): string {
  const given = /^#token=([\w-]+)$/u.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(stored, given);
    history.replaceState(undefined, "", "#/");
  }
  return given ?? sessionStorage.getItem(stored) ?? "";
}

/** Returns the place of the address, and a function that goes to another. */
export function usePlace(): readonly [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(parse);
  useEffect(() => {
    const follow = (): void => setPlace(parse());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const writtenAt = useRef(-pause);
  useEffect(() => {
    const write = (): void => {
      writtenAt.current = performance.now();
      history.replaceState(undefined, "", toHash(place));
    };
    // A browser needs milliseconds for each new address, and refuses hundreds of them in a row.
    const wait = writtenAt.current + pause - performance.now();
    if (wait <= 0) return write();
    const timer = setTimeout(write, wait);
    return () => clearTimeout(timer);
  }, [place]);
  return [place, (change) => setPlace((known) => ({ ...known, ...change }))];
}

function parse(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\//u, "").split("?");
  const search = new URLSearchParams(query);
  const message = search.get("message");
  return {
    thread: decodeURIComponent(path),
    namespace: search.get("namespace") ?? "",
    at: search.get("at") ?? "",
    tab: tabs.find((tab) => tab === search.get("tab")) ?? "thread",
    message: message === null ? undefined : Number(message),
  };
}

function toHash({ thread, namespace, at, tab, message }: Place): string {
  const search = new URLSearchParams({
    ...(namespace === "" ? {} : { namespace }),
    ...(at === "" ? {} : { at }),
    ...(tab === "thread" ? {} : { tab }),
    ...(message === undefined ? {} : { message: String(message) }),
  });
  return `#/${encodeURIComponent(thread)}${search.size > 0 ? `?${search}` : ""}`;
}

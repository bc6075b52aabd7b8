import { useEffect, useRef, useState } from "preact/hooks";

/** The place that the address names. A link to it shows the same. */
export interface Place {
  readonly thread: string;
  /** Of the checkpoints of a run of a subgraph; empty for the agent of the thread. */
  readonly namespace: string;
  /** Id of a checkpoint of the branch; empty for the newest branch. */
  readonly branch: string;
  /** Id of a checkpoint; empty to follow the newest call. */
  readonly at: string;
  /** The pane beside what was sent. */
  readonly tab: string;
  /** Position of a message in the whole thread. */
  readonly message: number | undefined;
  /** The words of the search. */
  readonly words: string;
  /** Path of the open file. */
  readonly file: string;
  /** Id of the checkpoint that the chosen one is compared with; empty for the call before. */
  readonly since: string;
}

/** A place in a thread, with nothing chosen in it. */
export const start: Omit<Place, "thread" | "tab" | "words"> = {
  namespace: "",
  branch: "",
  at: "",
  message: undefined,
  file: "",
  since: "",
};

const stored = "palimpsest-token";
/** Milliseconds between two changes of the address. */
const pause = 100;
/** Milliseconds in which changes are one entry of the history: a walk through calls, or a word that is typed. */
const oneEntry = 1_000;

/** Takes the token out of the address, where a screenshot would show it. All tabs of this browser share it. */
export function takeToken(): string {
  const given = /[#?&]token=([\w-]+)/u.exec(location.hash);
  if (given?.[1] === undefined) return localStorage.getItem(stored) ?? "";
  localStorage.setItem(stored, given[1]);
  const rest = location.hash.replace(given[0], (text) => (text.startsWith("&") ? "" : text.slice(0, 1)));
  history.replaceState(undefined, "", rest === "#" ? "#/" : rest);
  return given[1];
}

/** Keeps a token that was typed in, and opens the page again with it. */
export function openWithToken(token: string): void {
  localStorage.setItem(stored, token.replace(/^.*token=/u, "").trim());
  location.reload();
}

/** Returns a link to the place for another browser: the token is in it. */
export function linkTo(place: Place): string {
  const hash = toHash(place);
  const token = localStorage.getItem(stored) ?? "";
  if (token === "") return `${location.href.split("#")[0]}${hash}`;
  return `${location.origin}/${hash}${hash.includes("?") ? "&" : "?"}token=${token}`;
}

/** Returns the place of the address, and a function that goes to another. Back returns to the one before. */
export function usePlace(): readonly [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(parse);
  const [written, changedAt, writtenAt] = [useRef(toHash(place)), useRef(0), useRef(-pause)];
  useEffect(() => {
    const follow = (): void => {
      const found = parse();
      written.current = toHash(found);
      setPlace(found);
    };
    const events = ["popstate", "hashchange"];
    for (const event of events) addEventListener(event, follow);
    return () => events.forEach((event) => removeEventListener(event, follow));
  }, []);
  useEffect(() => {
    const hash = toHash(place);
    if (hash === written.current) return undefined;
    const isWalk = performance.now() - changedAt.current < oneEntry && isSmall(written.current, hash);
    changedAt.current = performance.now();
    const write = (): void => {
      writtenAt.current = performance.now();
      if (isWalk) history.replaceState(undefined, "", hash);
      else history.pushState(undefined, "", hash);
      written.current = hash;
    };
    // A browser needs milliseconds for each new address, and refuses hundreds of them in a row.
    const wait = writtenAt.current + pause - performance.now();
    if (wait <= 0) return write();
    const timer = setTimeout(write, wait);
    return () => clearTimeout(timer);
  }, [place]);
  return [place, (change) => setPlace((known) => ({ ...known, ...change }))];
}

/** Returns whether two addresses differ only in the call, or only in the words. */
function isSmall(one: string, other: string): boolean {
  return [/[?&]at=[^&]*/u, /[?&]words=[^&]*/u].some(
    (part) => one.replace(part, "") === other.replace(part, ""),
  );
}

function parse(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\//u, "").split("?");
  const search = new URLSearchParams(query);
  const text = (name: string): string => search.get(name) ?? "";
  const message = search.get("message");
  return {
    thread: decodeURIComponent(path),
    namespace: text("namespace"),
    branch: text("branch"),
    at: text("at"),
    tab: text("tab") === "" ? "thread" : text("tab"),
    message: message === null ? undefined : Number(message),
    words: text("words"),
    file: text("file"),
    since: text("since"),
  };
}

function toHash({ thread, tab, message, ...texts }: Place): string {
  const fields = {
    ...texts,
    tab: tab === "thread" ? "" : tab,
    message: message === undefined ? "" : String(message),
  };
  const given = Object.entries(fields).filter(([, text]) => text !== "");
  const search = new URLSearchParams(given);
  return `#/${encodeURIComponent(thread)}${given.length > 0 ? `?${search}` : ""}`;
}

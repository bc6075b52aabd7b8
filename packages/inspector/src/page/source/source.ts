import type { AgentView } from "../../shared/agent-view.js";
import type { Savings } from "../../shared/cost/savings.js";
import type { ReworkView } from "../../shared/rework-view.js";
import type { WhyView } from "../../shared/why-view.js";
import type {
  BranchView,
  Difference,
  ForkPlan,
  ForkRequest,
  LaneView,
  MessageView,
  ModelUsage,
  PlacesView,
  SearchView,
  StepView,
  TextView,
  ThreadArchive,
  ThreadSize,
  ThreadView,
  TimelineLine,
  WrittenFork,
} from "../../view.js";

/** The part of a thread that is read. */
export interface Part {
  /** Of a run of a subgraph; empty for the agent of the thread. */
  readonly namespace: string;
  /** Id of a checkpoint of the branch; empty for the newest branch. */
  readonly branch: string;
}

/** The server refuses the token of the page. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}

/** The source of the page: its server, or the data of a report. */
export interface Source {
  /** True for a report, which does not change. */
  readonly isFile: boolean;
  /** The same source for one run of a subgraph of the thread, or for another branch. */
  within(part: Part): Source;
  threads(): Promise<readonly ThreadView[]>;
  archives(): Promise<readonly ThreadArchive[]>;
  size(thread: string): Promise<ThreadSize>;
  /** When the subagents of the thread ran. */
  lanes(thread: string): Promise<readonly LaneView[]>;
  /** The branches beside the one that is read. */
  branches(thread: string): Promise<readonly BranchView[]>;
  step(thread: string, at: string): Promise<StepView>;
  places(thread: string, at: string): Promise<PlacesView>;
  open(thread: string, at: string, fold: string): Promise<readonly MessageView[]>;
  messages(thread: string, from: number, to: number): Promise<readonly MessageView[]>;
  /** The place of a message in the whole thread; null if it is not there. */
  placeOf(thread: string, message: string): Promise<number | null>;
  /** A whole text; with `call` the arguments of that tool call of the message. */
  text(thread: string, place: number, call?: number): Promise<TextView>;
  file(thread: string, at: string, path: string): Promise<TextView>;
  /** Positions of rows at which the message was in the context word for word, both ends inclusive. */
  sight(thread: string, message: string): Promise<readonly (readonly [number, number])[]>;
  /** What became of a message. */
  why(thread: string, place: number): Promise<WhyView>;
  /** What the agent asked for again after each fold. */
  rework(thread: string): Promise<readonly ReworkView[]>;
  bill(thread: string): Promise<readonly ModelUsage[]>;
  /** What the folds saved; the window is in tokens, null if none is known. */
  savings(thread: string, window: number | null): Promise<Savings>;
  /** The subagents as a tree. */
  agents(thread: string): Promise<readonly AgentView[]>;
  search(words: string, thread: string): Promise<SearchView>;
  diff(thread: string, from: string, to: string): Promise<readonly Difference[]>;
  /** The differences of a step from the newest state of another thread. */
  compare(thread: string, at: string, other: string): Promise<readonly Difference[]>;
  /** Calls `onLine` for each part of the timeline until the signal aborts. */
  timeline(thread: string, onLine: (line: TimelineLine) => void, signal: AbortSignal): Promise<void>;
  /** Whether forks can be written. */
  canAct(): Promise<boolean>;
  /** Describes what `fork` would write. */
  plan(request: ForkRequest): Promise<ForkPlan>;
  fork(request: ForkRequest): Promise<WrittenFork>;
}

interface SendOptions extends RequestInit {
  readonly headers?: Record<string, string>;
}

/** How the page asks its server. */
function requests(token: string, part: Part) {
  const send = async (path: string, { headers = {}, ...init }: SendOptions): Promise<Response> => {
    const response = await fetch(`/api/${path}`, {
      ...init,
      headers: { ...headers, "x-palimpsest-token": token },
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as { readonly error: string };
    throw response.status === 401 ? new AccessError(error) : new Error(error);
  };
  const request = async (name: string, query: Record<string, string | number>, signal?: AbortSignal) => {
    const given = query["thread"] === undefined ? [] : Object.entries(part).filter(([, text]) => text !== "");
    return send(`${name}?${searchOf({ ...query, ...Object.fromEntries(given) })}`, signal ? { signal } : {});
  };
  const get = async <T>(name: string, query: Record<string, string | number> = {}): Promise<T> =>
    (await (await request(name, query)).json()) as T;
  const post = async <T>(name: string, body: ForkRequest): Promise<T> => {
    const headers = { "content-type": "application/json" };
    return (await (await send(name, { method: "POST", headers, body: JSON.stringify(body) })).json()) as T;
  };
  return { request, get, post };
}

/** Returns a source that asks the server of the page. */
export function serverSource(token: string, part: Part = { namespace: "", branch: "" }): Source {
  const { request, get, post } = requests(token, part);
  return {
    isFile: false,
    within: (inner) => serverSource(token, inner),
    threads: async () => get("threads"),
    archives: async () => get("archives"),
    size: async (thread) => get("size", { thread }),
    lanes: async (thread) => get("lanes", { thread }),
    branches: async (thread) => get("branches", { thread }),
    step: async (thread, at) => get("step", { thread, at }),
    places: async (thread, at) => get("places", { thread, at }),
    open: async (thread, at, fold) => get("open", { thread, at, fold }),
    messages: async (thread, from, to) => get("messages", { thread, from, to }),
    placeOf: async (thread, message) => get("place", { thread, message }),
    text: async (thread, place, call) =>
      get("text", { thread, place, ...(call === undefined ? {} : { call }) }),
    file: async (thread, at, path) => get("file", { thread, at, path }),
    sight: async (thread, message) => get("sight", { thread, message }),
    why: async (thread, place) => get("why", { thread, place }),
    rework: async (thread) => get("rework", { thread }),
    bill: async (thread) => get("bill", { thread }),
    savings: async (thread, window) => get("savings", { thread, ...(window === null ? {} : { window }) }),
    agents: async (thread) => get("agents", { thread }),
    search: async (words, thread) => get("search", { words, ...(thread === "" ? {} : { thread }) }),
    diff: async (thread, from, to) => get("diff", { thread, from, to }),
    compare: async (thread, at, other) => get("compare", { thread, at, other }),
    canAct: async () => get("can-act"),
    plan: async (body) => post("plan", body),
    fork: async (body) => post("fork", body),
    async timeline(thread, onLine, signal) {
      const { body } = await request("timeline", { thread }, signal);
      if (body) for await (const text of linesOf(body)) onLine(JSON.parse(text) as TimelineLine);
    },
  };
}

function searchOf(query: Record<string, string | number>): URLSearchParams {
  return new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

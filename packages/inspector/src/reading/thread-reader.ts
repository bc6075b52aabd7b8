import type { BaseMessage } from "@langchain/core/messages";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { unfoldNamed } from "@palimpsest/context";
import { isArchivePath } from "@palimpsest/context/internal";
import { InspectorError } from "../inspector-error.js";
import type { FileView, MessageView, PlacesView, StepRow, StepView, TextView } from "../view.js";
import { callPositions } from "../shared/call-positions.js";
import { savings, type Savings } from "../shared/cost/savings.js";
import { firstSeen } from "../shared/first-seen.js";
import { promptView } from "../shared/prompt.js";
import type { ReworkView } from "../shared/rework-view.js";
import type { WhyView } from "../shared/why-view.js";
import { threadFacts } from "./folds/asked-again.js";
import { findCertificate } from "./folds/find-certificate.js";
import { rework } from "./folds/rework.js";
import { foldsOfMessages, why, type Branch } from "./folds/why.js";
import { listLanes } from "./timeline/list-lanes.js";
import { MessageSearch, type FoundMessage } from "./find-messages.js";
import { partOf } from "./part-of.js";
import { messageView, wholeArgs, wholeText } from "./message-view.js";
import { readState, unfoldState, type ThreadOrRun, type ThreadState } from "./read-state.js";
import { ThreadHistory } from "./timeline/thread-history.js";

/** Characters of a text that are sent at once: a browser lays out no line of 50 MB. */
const maxText = 200_000;

/** The whole thread at one checkpoint. */
interface Unfolded {
  readonly state: ThreadState;
  readonly messages: readonly BaseMessage[];
  readonly places: ReadonlyMap<string, number>;
  readonly search: MessageSearch;
}

/** Reads one branch of a thread, or of a run of a subgraph. Keeps in memory its steps, its newest state unfolded, and the state of the last request. */
export class ThreadReader {
  readonly history: ThreadHistory;
  readonly #saver: VfsSaver;
  readonly #of: ThreadOrRun;
  readonly #tip: string | undefined;
  /** Of the archive, which a run shares with its thread. */
  readonly #threadId: string;
  #last: ThreadState | undefined;
  #newest: Promise<Unfolded> | undefined;
  /** What questions about folds are answered from. */
  #known: Promise<Branch> | undefined;
  #loading: Promise<void> | undefined;
  #following: Promise<readonly StepRow[]> | undefined;

  /** `tip` is the newest checkpoint of the branch; by default the newest of all. */
  constructor(saver: VfsSaver, of: ThreadOrRun, tip?: string) {
    this.history = new ThreadHistory(saver, of, tip);
    this.#saver = saver;
    this.#of = of;
    this.#tip = tip;
    this.#threadId = typeof of === "string" ? of : of.threadId;
  }

  /** Reads the steps of the thread; `history.rows` grows meanwhile, the newest first. A second call waits for the first. */
  async load(): Promise<void> {
    this.#loading ??= this.history.read().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await this.#loading;
  }

  /** Reads what was added to the thread since. Several pages may follow it at once. */
  async readOn(): Promise<void> {
    this.#following ??= this.history.readOn().finally(() => (this.#following = undefined));
    if ((await this.#following).length > 0) this.#newest = this.#known = undefined;
  }

  async step(checkpointId: string): Promise<StepView> {
    const row = this.history.row(checkpointId);
    if (row === undefined) throw new InspectorError(`The thread has no checkpoint ${checkpointId}.`);
    const state = await this.#state(checkpointId);
    const context = state.context.map((message) => messageView(message, undefined));
    const { path, text } = state.prompt;
    return { row, context, files: await this.#files(state), prompt: promptView(path, text) };
  }

  /** The first call reads the whole thread. */
  async places(checkpointId: string): Promise<PlacesView> {
    const { context } = await this.#state(checkpointId);
    const { places } = await this.#unfolded();
    const found = context.map(({ id }) => places.get(id ?? "") ?? null);
    return { places: found, happened: Math.max(-1, ...found.filter((place) => place !== null)) + 1 };
  }

  /** Returns messages of the whole thread as it happened. */
  async messages(from: number, to: number): Promise<readonly MessageView[]> {
    const { messages } = await this.#unfolded();
    return messages.slice(from, to).map((message, index) => messageView(message, from + index));
  }

  /** Returns the place of a message in the whole thread; null if it is not there. */
  async placeOf(message: string): Promise<number | null> {
    return (await this.#unfolded()).places.get(message) ?? null;
  }

  /** Returns the text of a message of the whole thread, or with `call` the arguments of that tool call as JSON. */
  async text(place: number, call?: number): Promise<TextView> {
    const message = (await this.#unfolded()).messages[place];
    const text = message && (call === undefined ? wholeText(message) : wholeArgs(message, call));
    if (text !== undefined) return clipped(text);
    const what = call === undefined ? "" : ` with ${call + 1} tool calls`;
    throw new InspectorError(`The thread has no message ${place}${what}.`);
  }

  /** Opens one fold of a checkpoint by one level. Nested folds stay closed. */
  async open(checkpointId: string, foldId: string): Promise<readonly MessageView[]> {
    const { context } = await this.#state(checkpointId);
    const { places } = await this.#unfolded();
    const archive = this.#saver.files.archive(this.#threadId);
    const opened = await unfoldNamed(context, foldId, {
      read: async (path) => archive.readText(path),
      levels: 1,
    });
    if (opened === undefined) throw new InspectorError(`The context has no fold ${foldId}.`);
    const ids = new Set(opened.folds.at(-1)?.covers);
    const originals = opened.messages.filter(({ id }) => id !== undefined && ids.has(id));
    return originals.map((message) => messageView(message, places.get(message.id ?? "")));
  }

  async search(words: readonly string[], limit: number) {
    const { search, state } = await this.#unfolded();
    const shown = new Set(state.context.map(({ id }) => id));
    return search.find(words, limit).map((hit: FoundMessage) => ({ ...hit, isShown: shown.has(hit.id) }));
  }

  /** Returns a file of the workspace at a checkpoint, or of the archive; the beginning of a large one. */
  async file(checkpointId: string, path: string): Promise<TextView> {
    return clipped(await this.wholeFile(checkpointId, path));
  }

  /** Returns the files of the workspace at a checkpoint, and those of the archive, by path. */
  async files(checkpointId: string): Promise<readonly FileView[]> {
    return this.#files(await this.#state(checkpointId));
  }

  /** Like `file`, but whole. */
  async wholeFile(checkpointId: string, path: string): Promise<string> {
    const { files } = await this.#state(checkpointId);
    const { archive, workspace } = this.#saver.files.thread(this.#threadId, files);
    if (isArchivePath(path)) return archive.readText(path);
    const { data, error } = await workspace.readRaw(path);
    if (error !== undefined) throw new InspectorError(error);
    const content = data?.content;
    return typeof content === "string" ? content : `[${content?.length ?? 0} bytes]`;
  }

  /** Returns what became of a message of the whole thread. */
  async why(place: number): Promise<WhyView> {
    const found = await why(await this.#branch(), place);
    if (found === undefined) throw new InspectorError(`The thread has no message ${place}.`);
    return found;
  }

  /** Returns what the agent asked for again after each fold. */
  async rework(): Promise<readonly ReworkView[]> {
    return rework(await this.#branch());
  }

  /** Returns the steps of the branch, oldest first, each call and each fold at the step that made it. */
  async rows(): Promise<readonly StepRow[]> {
    return (await this.#branch()).rows;
  }

  /** Returns what the folds saved. `window` is in tokens, by default what a middleware recorded. */
  async savings(window?: number): Promise<Savings> {
    const { rows } = await this.#branch();
    const before = new Map<string, number>();
    let sum = 0;
    for (const message of await this.all()) {
      if (message.id !== undefined) before.set(message.id, sum);
      const { part, tokens } = partOf(message);
      if (part !== "system") sum += tokens;
    }
    return savings(rows, { before, window: window ?? this.history.window });
  }

  async #branch(): Promise<Branch> {
    this.#known ??= this.#readBranch();
    return this.#known;
  }

  async #readBranch(): Promise<Branch> {
    await this.load();
    const { history } = this;
    const archive = this.#saver.files.archive(this.#threadId);
    const rows = firstSeen(history.rows, await listLanes(this.#saver, this.#of));
    const certificates = new Map<string, ReturnType<typeof findCertificate>>();
    const fold = (id: string) => history.fold(id);
    return {
      rows,
      foldedAt: foldsOfMessages({ rows, fold }),
      calls: callPositions(rows),
      facts: threadFacts(await this.all()),
      sight: (message) => history.sight(message),
      fold,
      async certificate(fold) {
        const known = certificates.get(fold.id) ?? findCertificate(fold, archive);
        certificates.set(fold.id, known);
        return known;
      },
    };
  }

  async all(): Promise<readonly BaseMessage[]> {
    return (await this.#unfolded()).messages;
  }

  async #files({ files }: ThreadState): Promise<readonly FileView[]> {
    const own = Object.entries(files).map(([path, { size, modifiedAt }]) => ({ path, size, modifiedAt }));
    const archived: FileView[] = [];
    for await (const { path, size } of this.#saver.files.archive(this.#threadId).list())
      archived.push({ path, size, modifiedAt: "" });
    return [...own, ...archived].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Reads a checkpoint, or the newest one. Keeps the last: the page asks several things of one step. */
  async #state(checkpointId: string | undefined): Promise<ThreadState> {
    const known = this.#last;
    if (known !== undefined && checkpointId !== undefined && known.id === checkpointId) return known;
    this.#last = await readState(this.#saver, this.#of, checkpointId);
    return this.#last;
  }

  async #unfolded(): Promise<Unfolded> {
    this.#newest ??= this.#unfold();
    return this.#newest;
  }

  async #unfold(): Promise<Unfolded> {
    const state = await this.#state(this.history.rows.at(-1)?.id ?? this.#tip);
    const messages = await unfoldState(this.#saver, state);
    const places = new Map(messages.flatMap(({ id }, place) => (id === undefined ? [] : [[id, place]])));
    return { state, messages, places, search: new MessageSearch(messages) };
  }
}

function clipped(text: string): TextView {
  return { text: text.slice(0, maxText), characters: text.length };
}

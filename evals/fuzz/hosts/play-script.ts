import { HumanMessage, RemoveMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { messageImage } from "@palimpsest/context/testing";
import type { Family } from "./play-host.js";
import { Side, Violation, type Head } from "./side.js";
import type { Move, Script } from "./script.js";
import type { Strategy } from "./strategies.js";
import { Subject } from "./subject.js";
import { Texts, wordIn } from "./texts.js";

/** What a host does to the messages of its thread; undefined where a move finds nothing to do. */
interface Change {
  /** Returns the update of a list of messages. */
  readonly update: (list: readonly BaseMessage[]) => readonly BaseMessage[];
  /** Messages whose words leave the thread. */
  readonly removed: readonly BaseMessage[];
}

interface Bookmark {
  readonly subject: Head;
  readonly control: Head;
  readonly forbidden: readonly string[];
}

export interface PlayOptions {
  /** A new graph is built before every node, as if each ran in a process of its own. */
  readonly restarts: boolean;
}

/**
 * Plays a script in a host with a strategy, and beside it in the same host without one, and throws at the first difference that
 * a law forbids. Returns the prompts, each as one text.
 */
export async function playScript(
  { settings, moves }: Script,
  strategy: Strategy,
  { restarts }: PlayOptions = { restarts: false },
): Promise<readonly string[]> {
  const texts = new Texts(settings);
  const control = new Side({ texts, family: strategy.family });
  const subject = new Subject({ texts, strategy, restarts });
  const bookmarks: Bookmark[] = [];
  for (const [index, move] of moves.entries()) {
    try {
      await playMove(move, index);
    } catch (error) {
      if (error instanceof Violation) throw new Violation(error.kind, `at move ${index}, ${error.message}`);
      throw new Violation("died", `at move ${index}, ${String(error)}`, { cause: error });
    }
  }
  return subject.prompts;

  async function playMove(move: Move, index: number): Promise<void> {
    if (move.kind === "fork") {
      const mark = bookmarks[move.at % Math.max(1, bookmarks.length)];
      if (mark === undefined || strategy.family === "nested agent with its own memory") return;
      control.head = mark.control;
      subject.head = mark.subject;
      subject.forbidden = new Set(mark.forbidden);
      return;
    }
    if (move.kind === "turn") await playTurn(move, index);
    else if (!(await playChange(move, index))) return;
    await compare();
    const forbidden = [...subject.forbidden];
    bookmarks.push({ control: await control.mark(), subject: await subject.mark(), forbidden });
  }

  async function playTurn(move: Extract<Move, { kind: "turn" }>, index: number): Promise<void> {
    const system =
      index === 0 && settings.hasSystem ? [new SystemMessage({ id: "s", content: "Be brief." })] : [];
    // A chunk names its steps, and the archive what they hold: while that fails, nobody knows a copy of them.
    const isUnknown = move.outage && strategy.remembersArchive === true;
    const said = move.resend && !isUnknown ? await control.messages() : [];
    const asked = texts.user(index, move.text);
    await control.turn([...system, ...said, asked], move, index);
    subject.thread = await control.messages();
    await subject.turn([...system, ...said.map((message) => subject.asCreated(message)), asked], move, index);
  }

  async function playChange(move: Extract<Move, { at: number }>, index: number): Promise<boolean> {
    const change = changeOf(move, {
      index,
      texts,
      state: await subject.messages(),
      thread: await control.messages(),
      family: strategy.family,
    });
    if (change === undefined || strategy.family === "nested agent with its own memory") return false;
    await control.change(change.update);
    await subject.forbid(change.removed.map(wordIn));
    await subject.change(change.update);
    return true;
  }

  /** The thread that comes back is the one of the control, byte for byte and in order. */
  async function compare(): Promise<void> {
    const expected = (await control.messages()).map((message) => subject.asCreated(message));
    const back = await subject.readBack();
    const images = back.map(messageImage);
    const at = expected.findIndex((message, index) => messageImage(message) !== images[index]);
    if (at >= 0 || back.length > expected.length) throw new Violation("lost", difference(expected, back, at));
    if (!subject.isView && strategy.keepsThread !== true) return;
    const whole = (await subject.messages()).map(messageImage);
    if (whole.join() !== expected.map(messageImage).join())
      throw new Violation("lost", "the thread of the state is not whole");
  }
}

function difference(expected: readonly BaseMessage[], back: readonly BaseMessage[], at: number): string {
  const shown = `message ${at} came back as ${shownImage(back[at])}\nand was ${shownImage(expected[at])}`;
  return `${shown}\nthread ${names(expected)}\nback   ${names(back)}`;
}

function names(list: readonly BaseMessage[]): string {
  return list.map(({ id }) => id).join(" ");
}

function shownImage(message: BaseMessage | undefined): string {
  return message === undefined ? "nothing" : messageImage(message).slice(0, 600);
}

interface ChangeOptions {
  readonly index: number;
  readonly texts: Texts;
  /** The messages that the host sees. */
  readonly state: readonly BaseMessage[];
  /** The same thread without us. */
  readonly thread: readonly BaseMessage[];
  readonly family: Family;
}

/** Returns what a host does at a move: it changes only messages that it sees, and leaves the thread legal. */
function changeOf(
  move: Extract<Move, { at: number }>,
  { index, texts, state, thread, family }: ChangeOptions,
): Change | undefined {
  // A graph keeps what an agent inside it has folded: the agent no longer reads it there.
  const unread = family.startsWith("nested") ? foldedIn(state) : new Set();
  const isRead = ({ id = "" }: BaseMessage) => !unread.has(id);
  const seen = new Set(state.filter(isRead).map(({ id }) => id));
  if (move.kind === "edit") {
    const target = pick(
      thread.filter((message) => seen.has(message.id) && isEditable(message)),
      move.at,
    );
    return target && { update: () => [texts.edited(target, index)], removed: [target] };
  }
  if (move.kind === "remove") {
    const groups = groupsOf(thread).slice(0, -1);
    const target = pick(
      groups.filter((group) => group.every(({ id }) => seen.has(id))),
      move.at,
    );
    return (
      target && { update: () => target.map(({ id = "" }) => new RemoveMessage({ id })), removed: target }
    );
  }
  const before = new Map(thread.map(({ id }, at) => [id, thread[at - 1]?.id]));
  // A node sees a reply only at its next call: nothing tells it that a message between its prompt and the reply is new.
  const newest = thread.findLast((message) => message.getType() === "ai")?.id;
  const places = state.flatMap((message, at) => {
    const previous = state[at - 1];
    const isPlace =
      message.getType() !== "tool" &&
      message.getType() !== "system" &&
      before.has(message.id) &&
      isRead(message) &&
      (previous === undefined || isRead(previous));
    return isPlace && message.id !== newest && before.get(message.id) === previous?.id ? [at] : [];
  });
  const place = pick(places, move.at);
  if (place === undefined) return undefined;
  const anchor = state[place]?.id;
  return {
    update(list) {
      const found = list.findIndex(({ id }) => id === anchor);
      return [
        new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
        ...list.toSpliced(found, 0, texts.inserted(index)),
      ];
    },
    removed: [],
  };
}

/**
 * Returns the ids of the messages that the last stand-in of several covers, or that stand before it, unless they stay beside it. A
 * client that sends its history again puts copies of them behind it.
 */
function foldedIn(state: readonly BaseMessage[]): ReadonlySet<string> {
  const at = state.findLastIndex((message) => {
    const fold = foldOf(message);
    return fold !== undefined && fold.covers.length > 1;
  });
  const { covers = [], carried = [] } = foldOf(state[at] ?? new HumanMessage("")) ?? {};
  const beside = new Set(carried.map((position) => covers[position]));
  const before = state.slice(0, Math.max(0, at)).map(({ id = "" }) => id);
  return new Set([...before, ...covers].filter((id) => !beside.has(id)));
}

function isEditable(message: BaseMessage): boolean {
  if (message.getType() === "system") return false;
  return message.getType() !== "ai" || callsOf(message) === 0;
}

/** Returns the messages in groups that are removed together: a call with its results, or a single message. */
function groupsOf(thread: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const groups: BaseMessage[][] = [];
  for (const message of thread) {
    if (message.getType() === "tool") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups.filter(([first]) => first?.getType() !== "system");
}

function callsOf(message: BaseMessage): number {
  return (message as { readonly tool_calls?: readonly unknown[] }).tool_calls?.length ?? 0;
}

function pick<Value>(values: readonly Value[], at: number): Value | undefined {
  return values[at % Math.max(1, values.length)];
}

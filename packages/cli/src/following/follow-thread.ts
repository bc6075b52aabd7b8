import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { listThreads, newestStep, type NewestStep } from "@palimpsest/inspector";
import type { Terminal } from "../verb.js";
import { terminalPage } from "./terminal-page.js";

/** Milliseconds between two reads of a followed thread. */
const interval = 1_000;
/** Moves to the top left and clears the screen below. */
const clear = "\u001b[H\u001b[J";

export interface FollowOptions {
  readonly thread: string;
  /** Tokens. @default what a middleware recorded in the thread */
  readonly window: number | undefined;
  readonly terminal: Terminal;
}

/** What is shown. */
interface Shown {
  readonly thread: string;
  /** Calls before the newest one. */
  readonly back: number;
  readonly isOver?: boolean;
}

/** What keys do, as a terminal sends them. */
const keys: Readonly<Record<string, (shown: Shown, threads: readonly string[]) => Shown>> = {
  q: (shown) => ({ ...shown, isOver: true }),
  // Ctrl+C, which is a key where keys are read one by one.
  "\u0003": (shown) => ({ ...shown, isOver: true }),
  h: earlier,
  "\u001b[D": earlier,
  l: later,
  "\u001b[C": later,
  k: (shown, threads) => otherThread(shown, threads, -1),
  "\u001b[A": (shown, threads) => otherThread(shown, threads, -1),
  j: (shown, threads) => otherThread(shown, threads, 1),
  "\u001b[B": (shown, threads) => otherThread(shown, threads, 1),
  G: (shown) => ({ ...shown, back: 0 }),
  "\u001b[F": (shown) => ({ ...shown, back: 0 }),
};

function earlier(shown: Shown): Shown {
  return { ...shown, back: shown.back + 1 };
}

function later(shown: Shown): Shown {
  return { ...shown, back: Math.max(0, shown.back - 1) };
}

function otherThread(shown: Shown, threads: readonly string[], by: number): Shown {
  const at = threads.indexOf(shown.thread) + by;
  return { thread: threads[Math.min(Math.max(at, 0), threads.length - 1)] ?? shown.thread, back: 0 };
}

/** The keys that are pressed while a page is drawn or waits. */
class Pressed {
  readonly #keys: string[] = [];
  #wake: (() => void) | undefined;

  add(key: string): void {
    this.#keys.push(key);
    this.#wake?.();
  }

  /** Returns the next key; undefined if none comes in the interval. */
  async next(): Promise<string | undefined> {
    if (this.#keys.length === 0) {
      const pressed = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([sleep(interval), pressed]);
    }
    return this.#keys.shift();
  }
}

/** Draws a thread after each change and after each key, until it is interrupted or ended. */
export async function followThread(
  saver: VfsSaver,
  { thread, window, terminal }: FollowOptions,
): Promise<void> {
  const { write, onKey } = terminal;
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]).then(() => "q");
  const pressed = new Pressed();
  const stop = onKey?.((key) => pressed.add(key));
  let [shown, drawn]: [Shown, string] = [{ thread, back: 0 }, ""];
  try {
    while (shown.isOver !== true) {
      const step = await newestStep(saver, shown.thread, { back: shown.back });
      shown = { ...shown, back: step.back };
      const page = pageOf(shown.thread, step, { window, terminal });
      if (page !== drawn) write(`${clear}${page}`);
      drawn = page;
      const key = (await Promise.race([interrupted, pressed.next()])) ?? "";
      const act = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (act !== undefined) shown = act(shown, await threadsOf(saver));
    }
  } finally {
    stop?.();
  }
}

function pageOf(
  thread: string,
  step: NewestStep,
  { window, terminal }: Omit<FollowOptions, "thread">,
): string {
  const { columns, rows } = terminal.size();
  const { hasColors, onKey } = terminal;
  // Leave room for the lines that say how to go on, and for the line of the cursor.
  const options = { window: window ?? step.window, columns, rows: rows - 3, hasColors };
  const last = footer(step, onKey !== undefined).slice(0, columns);
  return `${terminalPage(thread, step, options)}\n\n${last}\n`;
}

async function threadsOf(saver: VfsSaver): Promise<readonly string[]> {
  return (await listThreads(saver)).map(({ thread }) => thread);
}

function footer({ back }: NewestStep, hasKeys: boolean): string {
  if (!hasKeys) return "Press Ctrl+C to end.";
  const place = back === 0 ? "following" : `${back} before the newest call`;
  return `${place}   ← → call   End newest   ↑ ↓ thread   q end`;
}

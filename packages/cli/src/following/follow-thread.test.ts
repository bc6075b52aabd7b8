import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newPath, removePaths, writeThreads } from "../testing/written-storage.js";
import { followThread } from "./follow-thread.js";

const path = newPath();
let saver: VfsSaver;
beforeAll(async () => {
  await writeThreads(path);
  saver = VfsSaver.fromPath(path, { readOnly: true });
});
afterAll(async () => {
  await saver.close();
  removePaths();
});

/** Presses keys, each after the page was drawn for the one before; returns what was drawn. */
async function pages(keys: readonly string[]): Promise<readonly string[]> {
  const drawn: string[] = [];
  const left = [...keys];
  let listen: ((key: string) => void) | undefined;
  let isStopped = false;
  await followThread(saver, {
    thread: "one",
    window: 9_000,
    terminal: {
      size: () => ({ columns: 80, rows: 24 }),
      hasColors: false,
      write(text) {
        drawn.push(text);
        const key = left.shift();
        // The page is drawn before it waits for a key.
        if (key !== undefined) setTimeout(() => listen?.(key), 0);
      },
      onKey(listener) {
        listen = listener;
        return () => (isStopped = true);
      },
    },
  });
  expect(isStopped).toBe(true);
  return drawn;
}

const headOf = (page: string | undefined): string => page?.split("\n")[0] ?? "";

it("goes to an earlier call and back to the newest, to another thread, and ends, each by a key", async () => {
  const left = "\u001b[D";
  const [newest, earlier, first, again, other] = await pages([left, "h", "\u001b[F", "\u001b[A", "q"]);
  expect(newest).toContain("following");
  expect(earlier).toContain("1 before the newest call");
  expect(first).toContain("2 before the newest call");
  expect(headOf(again)).toBe(headOf(newest));
  expect(headOf(other)).toMatch(/two, newest call/u);
});

it("ends by the key that interrupts elsewhere, and keeps every line within the terminal", async () => {
  const drawn = await pages(["\u0003"]);
  expect(drawn).toHaveLength(1);
  const lines = drawn.flatMap((page) => page.slice("\u001b[H\u001b[J".length).split("\n"));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

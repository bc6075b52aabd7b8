import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many connections may be closed and not collected. Each keeps up to three descriptors. */
const maxClosed = 32;

let closed = 0;

/**
 * Call it when a connection was closed. libsql frees its descriptors when its statements are collected, which an idle process
 * may never do: every 32 connections, this collects them.
 */
export function collectClosed(): void {
  if (++closed < maxClosed) return;
  closed = 0;
  try {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
    collect();
  } catch {
    // A runtime without V8 collects in its own time.
  }
}

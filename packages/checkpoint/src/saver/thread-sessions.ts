import { LRUCache } from "lru-cache";
import type { EncodedCheckpoint } from "../engine.js";
import { ThreadSession } from "./thread-session.js";
import type { ThreadSessionOptions } from "./thread-session.js";

/** A thread whose session was evicted costs one full write when it is next used. */
const maxSessions = 256;

/** Approximate bytes of memory for each character of a checkpoint's JSON, as objects that checkpoints partly share. */
const bytesPerCharacter = 2;

export interface ThreadSessionsOptions extends ThreadSessionOptions {
  /** Bytes of the recent checkpoints of all sessions. */
  readonly cacheBytes: number;
}

/** The sessions of the threads that this process used most recently. */
export class ThreadSessions {
  readonly #sessions: LRUCache<string, ThreadSession>;
  /** Sessions with recent checkpoints. Those of the least recently used threads are dropped first. */
  readonly #warm: LRUCache<ThreadSession, true>;

  constructor({ cacheBytes, ...options }: ThreadSessionsOptions) {
    this.#warm = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: (_, session) => Math.min(cacheBytes, 1 + bytesPerCharacter * session.recentSize),
      dispose: (_, session, reason) => {
        if (reason === "evict") session.forgetRecent();
      },
    });
    this.#sessions = new LRUCache({
      max: maxSessions,
      memoMethod: (threadId) => new ThreadSession(threadId, options),
      dispose: (session) => void this.#warm.delete(session),
    });
  }

  of(threadId: string): ThreadSession {
    return this.#sessions.memo(threadId);
  }

  /** Forgets what this process knows about a thread. */
  forget(threadId: string): void {
    this.#sessions.get(threadId)?.forget();
  }

  remember(session: ThreadSession, namespace: string, checkpoint: EncodedCheckpoint): void {
    session.remember(namespace, checkpoint);
    // A cache computes the size of an entry when it is new.
    this.#warm.delete(session);
    this.#warm.set(session, true);
  }
}

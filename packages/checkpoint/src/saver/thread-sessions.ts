import { ThreadSession } from "./thread-session.js";
import type { ThreadSessionOptions } from "./thread-session.js";

const most = 256;

/** The sessions of the threads used last. One that is let go costs its thread a full write, no more. */
export class ThreadSessions {
  readonly #options: ThreadSessionOptions;
  readonly #sessions = new Map<string, ThreadSession>();

  constructor(options: ThreadSessionOptions) {
    this.#options = options;
  }

  of(threadId: string): ThreadSession {
    const session = this.#sessions.get(threadId) ?? new ThreadSession(threadId, this.#options);
    this.#sessions.delete(threadId);
    this.#sessions.set(threadId, session);
    const oldest = this.#sessions.keys().next().value;
    if (this.#sessions.size > most && oldest !== undefined) this.#sessions.delete(oldest);
    return session;
  }

  forget(threadId: string): void {
    this.#sessions.get(threadId)?.forget();
  }
}

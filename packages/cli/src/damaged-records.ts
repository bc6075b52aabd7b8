import { damageOf, type OnDamagedOriginal } from "@palimpsest/inspector";
import { nameOf } from "./open-storage.js";
import { terminalText } from "./terminal-text.js";
import type { VerbInput } from "./verb.js";

/** Reports each original and each thread that cannot be read, once and immediately. The command goes on without it. */
export class DamagedRecords {
  readonly #known = new Set<string>();
  readonly #notice: VerbInput["notice"];

  constructor(notice: VerbInput["notice"]) {
    this.#notice = notice;
  }

  get count(): number {
    return this.#known.size;
  }

  /** Reports that a thread cannot be read. Throws an error that says something else than that it is damaged. */
  addThread(thread: string, { error, target }: { readonly error: unknown; readonly target: string }): void {
    const damage = damageOf(error);
    if (damage === undefined) throw error;
    const key = JSON.stringify([thread]);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#notice(
      terminalText(
        `${thread} cannot be read: ${damage} "palimpsest verify ${nameOf(target)} --repair COPY" restores what it can in a copy.`,
      ),
    );
  }

  /** Reports that the steps before a damaged checkpoint cannot be read. */
  addSteps(thread: string, { error, target }: { readonly error: Error; readonly target: string }): void {
    this.#known.add(JSON.stringify([thread, "steps"]));
    this.#notice(
      terminalText(
        `${thread}: the steps before a damaged checkpoint are left out: ${error.message} "palimpsest verify ${nameOf(target)} --repair COPY" restores what it can in a copy.`,
      ),
    );
  }

  add(thread: string, { path, error }: Parameters<OnDamagedOriginal>[0]): void {
    const key = JSON.stringify([thread, path]);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#notice(terminalText(`${thread}: the messages in ${path} stay folded: ${error.message}`));
  }
}

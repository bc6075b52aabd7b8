import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isArchivePath } from "@palimpsest/context/internal";
import { hashText } from "@palimpsest/vfs/internal";
import type { CompactionState, Regret } from "../run/context-state.js";
import type { Reporter } from "../run/reporter.js";
import type { Step } from "../run/step.js";
import type { ResolvedFoldOptions } from "./fold-options.js";

/** Tools that look into the past without a path. */
const lookBack: ReadonlySet<string> = new Set(["unfold", "glimpse", "search_history"]);
/** The highest level, at which twice as much is kept. */
const highest = 8;
/** Folds without a request after which the level falls by one. */
const quietFolds = 8;
/** Folded calls that are remembered. */
const remembered = 64;

/**
 * Returns the regret after the newest messages: each call that asks again for what was folded raises it by one, at most to 8, and 8
 * folds without one lower it by one. A call asks again if it looks into the past (`unfold`, `glimpse`, `search_history`, a path below
 * `/context/`) or repeats a call that was folded. Pure.
 */
export function regretAfter(messages: readonly BaseMessage[], known: Regret | undefined): Regret {
  const upTo = messages.at(-1)?.id ?? "";
  if (known === undefined) return { upTo, level: 0, quiet: 0, folded: [] };
  const seen = messages.findLastIndex(({ id }) => id === known.upTo);
  const folded = new Set(known.folded);
  const requests = (seen < 0 ? [] : messages.slice(seen + 1))
    .flatMap((message) => toolCalls(message))
    .filter(
      ({ name, args }) => lookBack.has(name) || namesArchive(args) || folded.has(digestOf(name, args)),
    ).length;
  if (requests > 0) return { ...known, upTo, level: Math.min(highest, known.level + requests), quiet: 0 };
  const isOver = known.quiet + 1 >= quietFolds;
  const level = isOver ? Math.max(0, known.level - 1) : known.level;
  return { ...known, upTo, level, quiet: isOver ? 0 : known.quiet + 1 };
}

/** Returns the regret with the calls that a fold has taken out of the context. Pure. */
export function withFolded(
  regret: Regret,
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): Regret {
  const kept = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !kept.has(id)).flatMap((message) => toolCalls(message));
  if (gone.length === 0) return regret;
  const folded = [...regret.folded, ...gone.map(({ name, args }) => digestOf(name, args))];
  return { ...regret, folded: [...new Set(folded)].slice(-remembered) };
}

/** Returns the options with more kept: at the highest level twice as many blocks, tokens of a step and steps before advice. Pure. */
export function relaxed(options: ResolvedFoldOptions, { level }: Regret): ResolvedFoldOptions {
  const more = (value: number) => Math.round(value * (1 + level / highest));
  const { recentBlocks, microTokens, deadEndSteps } = options;
  return {
    ...options,
    recentBlocks: more(recentBlocks),
    microTokens: more(microTokens),
    deadEndSteps: more(deadEndSteps),
  };
}

/** The regret of one fold. Without the option it changes nothing. */
export class FoldRegret {
  /** The options of the fold. */
  readonly options: ResolvedFoldOptions;
  readonly #before: number;
  readonly #regret: Regret | undefined;

  constructor({
    options,
    known,
    messages,
  }: Pick<Step<ResolvedFoldOptions>, "options" | "known" | "messages">) {
    this.#before = known?.regret?.level ?? 0;
    this.#regret = options.regret ? regretAfter(messages, known?.regret) : undefined;
    this.options = this.#regret === undefined ? options : relaxed(options, this.#regret);
  }

  /** Adds the regret to an update of the state, and tells when its level has changed. `after` are the messages after the fold. */
  finish(
    update: CompactionState | undefined,
    { before, after, report }: FinishedFold,
  ): CompactionState | undefined {
    const regret = this.#regret;
    if (regret === undefined) return update;
    const { recentBlocks, microTokens, deadEndSteps } = this.options;
    const kept = { recentBlocks, microTokens, deadEndSteps, threadId: report.threadId };
    if (regret.level !== this.#before) report.send({ type: "context.regret", level: regret.level, ...kept });
    return { ...update, regret: withFolded(regret, before, after) };
  }
}

interface FinishedFold {
  readonly before: readonly BaseMessage[];
  readonly after: readonly BaseMessage[];
  readonly report: Reporter;
}

function namesArchive(args: Readonly<Record<string, unknown>>): boolean {
  return Object.values(args).some(isArchivePath);
}

function digestOf(name: string, args: unknown): string {
  return hashText(JSON.stringify([name, args]), 12);
}

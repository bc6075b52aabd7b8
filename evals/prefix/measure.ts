import type { ProviderCall, ProviderName } from "./providers.js";
import { shareOf, sumOf } from "../metrics/sum-of.js";

/** What one run came to. Counts are of the calls that carried on the agent's work. */
export interface PrefixMeasure {
  readonly calls: number;
  /** Calls that Anthropic's default answers with a 400; OpenAI refuses none. */
  readonly refused: number;
  /** Reasoning blocks sent that were no longer valid. */
  readonly dropped: number;
  /** Share of valid reasoning sent, of what an append-only history with the same cuts would hold. */
  readonly kept: number;
  /** The same, over the calls that follow no change of the context. */
  readonly keptBetween: number;
  /** Valid reasoning blocks in a prompt, on average. */
  readonly blocks: number;
  /** Calls whose prompt does not begin with the whole prompt before it. */
  readonly rewrites: number;
  /** Changes of the context that the system reported; none where it reports nothing. */
  readonly compactions: number;
  /** Share of bytes of a prompt that the next one begins with, where no change was reported between them. */
  readonly prefixBetween: number;
}

export interface MeasuredRun {
  readonly calls: readonly ProviderCall[];
  /** Numbers of calls that had been made when the context was changed, by the system or by its host. */
  readonly changedAt: ReadonlySet<number>;
  readonly compactions: number;
  readonly provider: ProviderName;
  readonly isWork: (call: ProviderCall) => boolean;
}

export function measureRun({ calls, changedAt, compactions, provider, isWork }: MeasuredRun): PrefixMeasure {
  const work = calls.filter(isWork);
  const valid = sumOf(work, validOf);
  const answered = calls.flatMap((call, index) => (isWork(call) && call.status === 200 ? [index] : []));
  const pairs = answered.slice(1).map((index, at) => pairOf(calls, answered[at] ?? 0, index));
  const between = pairs.filter(({ from, to }) => !hasChange(changedAt, from, to));
  const expected = sumOf(between, expectedOf);
  const keepable = sumOf(work, (call) => call.keepable);
  const same = sumOf(between, (pair) => pair.same);
  const before = sumOf(between, (pair) => pair.before.prompt.length);
  return {
    calls: work.length,
    refused: provider === "openai" ? 0 : work.filter(({ invalid }) => invalid > 0).length,
    dropped: sumOf(work, ({ invalid }) => invalid),
    kept: shareOf(valid, keepable),
    keptBetween: shareOf(
      sumOf(between, ({ after }) => validOf(after)),
      expected,
    ),
    blocks: valid / Math.max(1, work.length),
    rewrites: pairs.filter((pair) => pair.same < pair.before.prompt.length).length,
    compactions,
    prefixBetween: shareOf(same, before),
  };
}

function validOf({ reasoning, invalid }: ProviderCall): number {
  return reasoning - invalid;
}

interface Pair {
  readonly from: number;
  readonly to: number;
  readonly before: ProviderCall;
  readonly after: ProviderCall;
  /** Characters with which both prompts begin. */
  readonly same: number;
}

function pairOf(calls: readonly ProviderCall[], from: number, to: number): Pair {
  const [before, after] = [calls[from]!, calls[to]!];
  return { from, to, before, after, same: samePrefix(before.prompt, after.prompt) };
}

/** Returns the blocks that a call can send: those of the call before, and of its reply unless the call was made again. */
function expectedOf({ before, after }: Pair): number {
  return before.reasoning - before.invalid + (before.prompt === after.prompt ? 0 : 1);
}

function hasChange(changedAt: ReadonlySet<number>, from: number, to: number): boolean {
  for (let made = from + 1; made <= to; made++) if (changedAt.has(made)) return true;
  return false;
}

function samePrefix(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

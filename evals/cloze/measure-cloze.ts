import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/internal";
import { textOf } from "../data/text-of.js";
import type { Needle } from "./needles.js";
import { mean } from "../metrics/quantile.js";
import type { Searcher } from "./grep-searcher.js";

/** Where a needle is in a context. */
export type Place = "context" | "preview" | "summary" | "nowhere";

/** The result of one search for a needle. */
export interface Look {
  readonly place: Place;
  /** Rank of the first window that has the needle, from 1; undefined when none of the first five has it. */
  readonly rank: number | undefined;
  /** One of the windows shows the needle's line byte for byte. */
  readonly equal: boolean;
  /** Tokens, of four characters, that the tools answered. */
  readonly tokens: number;
}

const mostWindows = 5;

/** Returns for each needle where it is in the last context, and what a search over the archive returns. */
export async function measureCloze(
  needles: readonly Needle[],
  context: readonly BaseMessage[],
  searcher: Searcher,
): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (const { text, line, words } of needles) {
    const before = searcher.tokens();
    const found = await searcher.find(words, mostWindows);
    const at = found.findIndex((window) => window.text.includes(text));
    looks.push({
      place: placeOf(text, context),
      rank: at < 0 ? undefined : at + 1,
      equal: found.some((window) => window.text.split("\n").includes(line)),
      tokens: searcher.tokens() - before,
    });
  }
  return looks;
}

function placeOf(text: string, context: readonly BaseMessage[]): Place {
  const places = new Set(context.filter((message) => textOf(message).includes(text)).map(kindOf));
  return (["context", "preview", "summary"] as const).find((place) => places.has(place)) ?? "nowhere";
}

function kindOf(message: BaseMessage): Place {
  if (isSummary(message) || message.additional_kwargs["lc_source"] === "summarization") return "summary";
  return foldOf(message) === undefined ? "context" : "preview";
}

/** Shares over needles. Only needles that left the context need a search. */
export interface ClozeShares {
  readonly needles: number;
  readonly inContext: number;
  readonly inPreview: number;
  readonly inSummary: number;
  /** Needles that are not whole in the context. */
  readonly folded: number;
  /** Of all needles: the context, or one of the first three windows of a search, gives it back. */
  readonly recovered: number;
  /** Of the folded ones: found by search among the first windows. */
  readonly found: Readonly<Record<1 | 3 | 5, number>>;
  /** Of the found ones: its line was read byte for byte. */
  readonly equal: number;
  /** Mean tokens that the tools answered for a needle. */
  readonly tokens: number;
}

/** Returns the shares over the looks of all runs. */
export function clozeShares(looks: readonly Look[]): ClozeShares {
  const share = (list: readonly Look[], keep: (look: Look) => boolean) =>
    list.length === 0 ? Number.NaN : list.filter(keep).length / list.length;
  const placed = (place: Place) => share(looks, (look) => look.place === place);
  const folded = looks.filter(({ place }) => place !== "context");
  const at = (most: number) => (look: Look) => (look.rank ?? Infinity) <= most;
  return {
    needles: looks.length,
    inContext: placed("context"),
    inPreview: placed("preview"),
    inSummary: placed("summary"),
    folded: folded.length,
    recovered: share(looks, (look) => look.place === "context" || at(3)(look)),
    found: { 1: share(folded, at(1)), 3: share(folded, at(3)), 5: share(folded, at(5)) },
    equal: share(folded.filter(at(mostWindows)), ({ equal }) => equal),
    tokens: mean(looks.map(({ tokens }) => tokens)),
  };
}

import type { BaseMessage } from "@langchain/core/messages";
import { inlineText } from "../messages/text.js";
import { quotation, unquoted } from "../quotations/quoted-text.js";
import { reusableAtoms } from "../messages/line-atoms.js";
import { finder } from "./certify.js";
import { coverGreedily } from "./cover-greedily.js";
import { excerptCandidates, maxLineCharacters, type ReadLine } from "./excerpt-candidates.js";
import { probeOf } from "./must-keep.js";
import type { MustKeepAtom, MustKeepKind } from "../folds/rewrite.js";

/** Characters per token: lower than for prose, because excerpts are mostly code and paths. */
const charactersPerToken = 3.5;
/** Weight added to the reuse likelihood of a must-keep string. */
const mustKeepWeight = 0.02;

export interface ExcerptScores {
  /** Likelihood of each string to be used by a later call. */
  readonly likelihoods: Map<string, number>;
  /** Lines of each message that has any. */
  readonly lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>;
}

/** Scores the strings of a context by the likelihood that a later call uses them: `reuseOf` of `@palimpsest/context/selection`. */
export type ExcerptScorer = (messages: readonly BaseMessage[]) => ExcerptScores;

export interface ChooseExcerptsOptions {
  /** The whole context, including `folded`: recent use predicts later use. */
  readonly messages: readonly BaseMessage[];
  /** Visible text of the context without excerpts. */
  readonly visible: string;
  /** Must-keep strings; those missing from `visible` have priority. */
  readonly atoms: readonly MustKeepAtom[];
  /** Maximum tokens of the excerpts. */
  readonly tokens: number;
  readonly scorer: ExcerptScorer;
}

/**
 * Returns lines of the folded messages to show verbatim, within a budget: those with the most strings that a later call
 * is likely to use and that are not visible otherwise.
 *
 * Pure. Rules of the user, open errors and open calls come first; then blocks of lines by added weight per character.
 * A string counts once, so a repeated line adds nothing.
 */
export function chooseExcerpts(
  folded: readonly BaseMessage[],
  { messages, visible, atoms, tokens, scorer }: ChooseExcerptsOptions,
): readonly string[] {
  const isSeen = finder(visible);
  const missing = atoms.filter((atom) => !isSeen(probeOf(atom)));
  let left = Math.floor(tokens * charactersPerToken);
  const first = missing
    .filter(({ kind }) => kind === "constraint" || kind === "error" || kind === "call")
    .map(({ kind, text }) => shownAtom(kind, inlineText(text, maxLineCharacters)))
    .filter((line) => (left -= line.length + 3) >= 0);
  const { likelihoods: weights, lines } = scorer(messages);
  for (const { text } of missing) weights.set(text, (weights.get(text) ?? 0) + mustKeepWeight);
  for (const atom of visibleAtoms(visible)) weights.delete(atom);
  const chosen = coverGreedily(excerptCandidates(folded, lines), weights, Math.max(0, left));
  return [...first, ...chosen.flatMap(({ lines }) => lines)];
}

/** A rule is shown as a quotation of the user; errors and calls say themselves whose words they hold. */
function shownAtom(kind: MustKeepKind, text: string): string {
  return kind === "constraint" ? quotation({ source: "user", lines: [text] }) : text;
}

/** Returns the reusable strings of the visible text. */
function visibleAtoms(visible: string): readonly string[] {
  const lines = visible.split("\n").flatMap((line) => {
    const entry = line.replace(/^- /, "");
    return [line, entry, ...unquoted(entry)];
  });
  return lines.flatMap((text) => reusableAtoms({ text, role: "result", continues: false }));
}

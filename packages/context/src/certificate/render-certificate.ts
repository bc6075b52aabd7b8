import type { Fold } from "../folds/fold.js";
import type { Certificate, Fate } from "../folds/rewrite.js";
import { inlineText } from "../messages/text.js";
import type { MustKeepAtom } from "../folds/rewrite.js";

export interface RenderOptions {
  readonly fates: ReadonlyMap<MustKeepAtom, Fate>;
  readonly refused: readonly string[];
  readonly fold: Fold;
}

/** Returns a certificate as Markdown: the counts, then every string with its fate. Pure. */
export function renderCertificate(
  { originals, atoms, kept, retrievable, lost, excerpts, kinds }: Certificate,
  { fates, refused, fold }: RenderOptions,
): string {
  const rows = Object.entries(kinds).map(
    ([kind, count]) =>
      `| ${kind} | ${count.atoms} | ${count.kept} | ${count.retrievable} | ${count.atoms - count.kept - count.retrievable} |`,
  );
  const list = (fate: Fate) =>
    [...fates].flatMap(([{ kind, text }, found]) =>
      found === fate ? [`- ${kind}: ${inlineText(text, 400)}`] : [],
    );
  return [
    "# Retention certificate",
    `${fold.covers.length} messages (${fold.tokensBefore} tokens) were folded into ${fold.id} (${fold.tokensAfter} tokens). ` +
      `Originals: ${originals}`,
    `Of ${atoms} strings that must not be lost, ${kept} are in what the model sees, ${retrievable} in the file of the ` +
      `originals, ${lost.length} in neither. ${excerpts} lines were put back word for word.`,
    [
      "| kind | looked for | kept | retrievable | lost |",
      "| --- | ---: | ---: | ---: | ---: |",
      ...rows,
    ].join("\n"),
    ...section("Lost", list("lost")),
    ...section(`Retrievable at ${originals}`, list("retrievable")),
    ...section("Kept", list("kept")),
    ...section(
      "Lines of the summary model that were not taken over",
      refused.map((line) => `- ${inlineText(line, 400)}`),
    ),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];
}

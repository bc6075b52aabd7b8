import { digest } from "../digest.js";
import type { Rewrite } from "../rewrite.js";
import type { Certificate, KindCount } from "./certificate.js";
import { probeOf, type MustKeepAtom, type MustKeepKind } from "./must-keep.js";
import type { Fate } from "./fate.js";
import { renderCertificate } from "./render-certificate.js";
import { finder, visibleText } from "./visible-text.js";

export interface CertifyOptions {
  /** What had to be kept, from `mustKeepAtoms` of the folded messages. */
  readonly atoms: readonly MustKeepAtom[];
  /** Lines that were put back word for word. */
  readonly excerpts?: number;
  /** Lines of the summary model that were not taken over. */
  readonly refused?: readonly string[];
}

/**
 * Returns the rewrite with a certificate of its fold, and the certificate's file among the writes.
 *
 * Pure. Each string is looked for in what the model will see, then in the file of the originals, whose path the model is
 * shown. A rewrite without a fold is returned as it is.
 */
export function certify(rewrite: Rewrite, { atoms, excerpts = 0, refused = [] }: CertifyOptions): Rewrite {
  const fold = rewrite.folds.at(-1);
  if (fold === undefined) return rewrite;
  const isSeen = finder(visibleText(rewrite.messages));
  const originals = rewrite.writes.find(({ path }) => path === fold.path)?.content ?? "";
  const isArchived = finder(originals);
  const fates = new Map<MustKeepAtom, Fate>(
    atoms.map((atom) => {
      const probe = probeOf(atom);
      if (isSeen(probe)) return [atom, "kept"];
      return [atom, isArchived(probe) ? "retrievable" : "lost"];
    }),
  );
  const of = (fate: Fate) => atoms.filter((atom) => fates.get(atom) === fate);
  const draft: Certificate = {
    fold: fold.id,
    path: "",
    originals: fold.path,
    atoms: atoms.length,
    kept: of("kept").length,
    retrievable: of("retrievable").length,
    lost: of("lost"),
    excerpts,
    kinds: countKinds(fates),
  };
  const content = renderCertificate(draft, { fates, refused, fold });
  const generation = String(fold.generation ?? 1).padStart(4, "0");
  const path = `/context/certificates/${generation}-${digest(content)}.md`;
  return {
    ...rewrite,
    writes: [...rewrite.writes, { path, content: content.toWellFormed() }],
    certificates: [...(rewrite.certificates ?? []), { ...draft, path }],
  };
}

function countKinds(fates: ReadonlyMap<MustKeepAtom, Fate>): Partial<Record<MustKeepKind, KindCount>> {
  const counts: Partial<Record<MustKeepKind, KindCount>> = {};
  for (const [{ kind }, fate] of fates) {
    const { atoms, kept, retrievable } = counts[kind] ?? { atoms: 0, kept: 0, retrievable: 0 };
    counts[kind] = {
      atoms: atoms + 1,
      kept: kept + (fate === "kept" ? 1 : 0),
      retrievable: retrievable + (fate === "retrievable" ? 1 : 0),
    };
  }
  return counts;
}

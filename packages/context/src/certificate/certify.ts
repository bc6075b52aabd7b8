import type { BaseMessage } from "@langchain/core/messages";
import type { Certificate, Fate, KindCount, Rewrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { messageText } from "../messages/text.js";
import { toolCalls } from "../messages/tool-calls.js";
import { probeOf } from "./must-keep.js";
import { type MustKeepAtom, type MustKeepKind } from "../folds/rewrite.js";
import { renderCertificate } from "./render-certificate.js";

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

/** Returns what a model reads of messages as one text: content and calls, spaces as they are. Pure. */
export function visibleText(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => {
      const calls = toolCalls(message).map(({ name, args }) => `${name} ${unescaped(JSON.stringify(args))}`);
      return [messageText(message), ...calls].join("\n");
    })
    .join("\n");
}

/** Returns JSON in which the text of strings stands as it is read, not as it is escaped. */
export function unescaped(json: string): string {
  return json.replace(/\\(["\\nt])/g, (_, character: string) => {
    if (character === "n") return "\n";
    return character === "t" ? "\t" : character;
  });
}

// oxlint-disable-next-line no-control-regex -- entries of a summary have no controls, so neither may what they are held against
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** Returns a text with every run of spaces as one, and without control characters. */
export function oneSpaced(text: string): string {
  return text
    .toWellFormed()
    .replace(control, "")
    .replace(/ \s+|[^\S ]\s*/g, " ")
    .trim();
}

/** Returns what says whether a string stands in a text, in whatever way its lines are broken or its quotes escaped. */
export function finder(text: string): (needle: string) => boolean {
  const forms = bothForms(text);
  return (needle) => {
    const needles = bothForms(needle);
    return forms.some((form) => needles.some((one) => form.includes(one)));
  };
}

/** Most texts have no escapes, and then one form. */
function bothForms(text: string): readonly string[] {
  const spaced = oneSpaced(text);
  return text.includes("\\") ? [spaced, oneSpaced(unescaped(text))] : [spaced];
}

import type { BaseMessage } from "@langchain/core/messages";
import { certificatePath } from "../folds/archive-paths.js";
import type { Certificate, Fate, KindCount, Rewrite } from "../folds/rewrite.js";
import { defused } from "../quotations/quoted-text.js";
import { messageText } from "../messages/text.js";
import { toolCalls } from "../messages/tool-calls.js";
import { probeOf } from "./must-keep.js";
import { type MustKeepAtom, type MustKeepKind } from "../folds/rewrite.js";
import { renderCertificate } from "./render-certificate.js";

export interface CertifyOptions {
  /** Strings to look for, from `mustKeepAtoms` of the folded messages. */
  readonly atoms: readonly MustKeepAtom[];
  /** Number of verbatim lines added to the summary. */
  readonly excerpts?: number;
  /** Rejected lines of the summary model. */
  readonly refused?: readonly string[];
}

/**
 * Returns the rewrite with a certificate of its fold, and adds the certificate's file to the writes.
 *
 * Pure. Looks for each string in the visible context, then in the file of the originals, whose path the model sees.
 * Returns a rewrite without a fold unchanged.
 */
export function certify(rewrite: Rewrite, { atoms, excerpts = 0, refused = [] }: CertifyOptions): Rewrite {
  const fold = rewrite.folds.at(-1);
  if (fold === undefined) return rewrite;
  const isSeen = formFinder(visibleText(rewrite.messages));
  const originals = rewrite.writes.find(({ path }) => path === fold.path)?.content ?? "";
  const isArchived = formFinder(originals);
  const fates = new Map<MustKeepAtom, Fate>(
    atoms.map((atom) => {
      const probe = formsOf(probeOf(atom));
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
  const path = certificatePath(fold.generation ?? 1, content, fold.path);
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

/** Returns the content and tool calls of messages as one text, with unchanged whitespace. Pure. */
export function visibleText(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => {
      const calls = toolCalls(message).map(({ name, args }) => `${name} ${unescaped(JSON.stringify(args))}`);
      return [messageText(message), ...calls].join("\n");
    })
    .join("\n");
}

/** Returns JSON with the common escapes of its strings (quote, backslash, newline, tab) decoded. */
export function unescaped(json: string): string {
  return json.replace(/\\(["\\nt])/g, (_, character: string) => {
    if (character === "n") return "\n";
    return character === "t" ? "\t" : character;
  });
}

// oxlint-disable-next-line no-control-regex -- summary entries contain no control characters, so the comparison ignores them
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** Returns a text with collapsed whitespace and without control characters, as a quotation shows it. */
export function oneSpaced(text: string): string {
  return defused(text.toWellFormed())
    .replaceAll("\u0085", " ")
    .replace(control, "")
    .replace(/ \s+|[^\S ]\s*/g, " ")
    .trim();
}

/** Returns a predicate for whether a text contains a string, regardless of line breaks and JSON escapes. */
export function finder(text: string): (needle: string) => boolean {
  const holds = formFinder(text);
  return (needle) => holds(formsOf(needle));
}

function formFinder(text: string): (needles: readonly string[]) => boolean {
  const forms = formsOf(text);
  return (needles) => forms.some((form) => needles.some((one) => form.includes(one)));
}

/** The text, and its unescaped form when it has escapes. */
function formsOf(text: string): readonly string[] {
  const forms = text.includes("\\") ? [text, unescaped(text)] : [text];
  // A quotation changes the first character of a tag or notice. A needle that begins inside a tag or notice still has it unchanged.
  return forms.map((form) => oneSpaced(form).replaceAll("<", "‹").replaceAll("[", "("));
}

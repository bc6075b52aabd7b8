import type { CallSpan, ForgottenBy, WhyView } from "./why-view.js";

/** A piece of a text, and where it leads. */
export interface Phrase {
  readonly text: string;
  /** The number of a call. */
  readonly call?: number;
  /** The path of a file of the archive. */
  readonly file?: string;
}

/** Returns in words what became of a message. Pure. */
export function whyText({ seen, isSeen, folds, again }: WhyView): readonly Phrase[] {
  const phrases: Phrase[] = [];
  const spans = seen.flatMap((span, at) => [{ text: at === 0 ? "" : " and " }, ...callsIn(span)]);
  if (seen.length === 0) phrases.push({ text: "No call was sent it word for word" });
  else phrases.push({ text: "In sight in " }, ...spans);
  if (isSeen) phrases.push({ text: ", the newest" });
  phrases.push({ text: "." });
  for (const fold of folds) phrases.push(...foldedBy(fold));
  if (again.length > 0) {
    const asked = again.flatMap(({ call, tool, how }, at) => [
      { text: at === 0 ? " Asked for again at " : ", " },
      { text: `call ${call}`, call },
      { text: ` by ${tool}${how === "originals" ? ", from the archive" : ", the same call"}` },
    ]);
    phrases.push(...asked, { text: "." });
  }
  return phrases;
}

function callsIn([from, to]: CallSpan): readonly Phrase[] {
  if (from === to) return [{ text: `call ${from}`, call: from }];
  return [{ text: `calls ${from}`, call: from }, { text: " to " }, { text: String(to), call: to }];
}

function foldedBy({ kind, reason, asked, call, path, certificate }: ForgottenBy): readonly Phrase[] {
  const at = call === null ? [{ text: "after the newest call" }] : [{ text: `before call ${call}`, call }];
  const why = whyOf(reason, asked);
  const kept =
    certificate === null
      ? []
      : [
          { text: " Kept: " },
          { text: `${certificate.kept} of ${certificate.facts} facts`, file: certificate.path },
          { text: "." },
        ];
  return [
    { text: " Folded " },
    ...at,
    { text: ` by ${article(kind)} ${kind}${why}; the original is in ` },
    { text: path, file: path },
    { text: "." },
    ...kept,
  ];
}

function whyOf(reason: string, asked: string): string {
  if (reason === "agent") return ` that the agent asked for${asked === "" ? "" : `: "${asked}"`}`;
  return reason === "" ? "" : ` (${reason})`;
}

function article(kind: string): string {
  return /^[aeiou]/u.test(kind) ? "an" : "a";
}

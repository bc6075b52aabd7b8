import type { BaseMessage } from "@langchain/core/messages";
import { mustKeepKinds, type MustKeepAtom, type MustKeepKind } from "../folds/rewrite.js";
import { lineAtoms } from "../messages/line-atoms.js";
import { unquoted } from "../quotations/quoted-text.js";
import { messageText, sentences } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { fileLedger } from "../summary/carried-state.js";
import { earlierSummary } from "../summary/earlier-summary.js";
import { openErrors, unfinishedCalls } from "../summary/open-calls.js";
import { isSummary, isUserMessage } from "../folds/fold.js";
import { isDecision, isRule, userConstraints } from "../summary/user-constraints.js";

/**
 * Returns the string to search for: for an error or an open call, the entry without our own prefix and truncation mark,
 * which no message contains.
 */
export function probeOf({ kind, text }: MustKeepAtom): string {
  if (kind !== "error" && kind !== "call") return text;
  const quoted = kind === "error" ? (unquoted(text)[0] ?? text) : text.replace(/^[^{]*/, "");
  return quoted.replace(/[\uD800-\uDBFF]?…$/, "");
}

/** Maximum atoms of one fold, so that a person can still read the certificate. */
const maxAtoms = 1_000;

/**
 * Returns the distinct strings that must stay visible or retrievable when messages are folded.
 *
 * Pure. These are user constraints, open errors, open calls, and the paths, URLs, numbers and identifiers that occur in
 * user messages, in call arguments or in decisions. Strings that occur only in tool results are excluded.
 */
export function mustKeepAtoms(messages: readonly BaseMessage[]): readonly MustKeepAtom[] {
  const fresh = messages.filter((message) => !isSummary(message));
  const earlier = earlierSummary(messages);
  const found = new Map<string, MustKeepKind>();
  const add = (kind: MustKeepKind, texts: readonly string[]) => {
    for (const text of texts) if (!found.has(text)) found.set(text, kind);
  };
  add("constraint", [...userConstraints(fresh), ...earlier.userLines.flatMap(sentences).filter(isRule)]);
  add("error", openErrors(fresh, earlier.openQuestions));
  add("call", unfinishedCalls(fresh));
  add(
    "path",
    fileLedger(fresh, earlier.artifacts).map((entry) => entry.replace(/ \([^()]*\)$/, "")),
  );
  for (const atom of [...usedAtoms(fresh), ...earlierAtoms(earlier)]) add(kindOf(atom), [atom]);
  const atoms = [...found].map(([text, kind]) => ({ kind, text }));
  const ranked = atoms.toSorted((a, b) => mustKeepKinds.indexOf(a.kind) - mustKeepKinds.indexOf(b.kind));
  return ranked.slice(0, maxAtoms);
}

/** Newest first, so that the limit drops the oldest. */
function usedAtoms(messages: readonly BaseMessage[]): readonly string[] {
  return messages.toReversed().flatMap((message) => {
    const said = isUserMessage(message) ? lineAtoms(messageText(message)) : [];
    const decided = isAi(message)
      ? sentences(messageText(message)).filter(isDecision).flatMap(lineAtoms)
      : [];
    return [...said, ...decided, ...callAtoms(message)];
  });
}

function earlierAtoms({ decisions, sideEffects }: ReturnType<typeof earlierSummary>): readonly string[] {
  return [...decisions, ...sideEffects].flatMap(lineAtoms);
}

function kindOf(atom: string): MustKeepKind {
  if (/^https?:\/\//.test(atom)) return "url";
  if (atom.includes("/")) return "path";
  return /^[\d,.:-]+$/.test(atom) || /^[0-9a-f]{7,40}$/.test(atom) ? "number" : "identifier";
}

/** Arguments with file content that the agent writes or replaces, which names nothing. */
const texts = new Set(
  "content file_text new_string newText new_str new_source old_string oldText old_str".split(" "),
);
/** Arguments with the agent's task list, which the summary carries over. */
const lists = new Set(["todos", "plan", "tasks"]);
/** A one-word argument with a digit or a mark is a name as a whole. */
const oneWord = /^(?=.*[\d_./:@#-])\S{3,120}$/;
/** A number with at least four digits. */
const longNumber = /\d{4,}/;

/** Returns the ids, paths, URLs and numbers in the call arguments of a message. Pure, never throws. */
export function callAtoms(message: BaseMessage): readonly string[] {
  return toolCalls(message).flatMap(({ args }) => atomsOf(args, 0));
}

function atomsOf(value: unknown, depth: number): readonly string[] {
  if (depth > 6) return [];
  if (typeof value === "number") return longNumber.test(String(value)) ? [String(value)] : [];
  if (typeof value === "string") {
    const lines = value.split("\n").slice(0, 50).flatMap(lineAtoms);
    return oneWord.test(value) ? [value, ...lines] : lines;
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, 50).flatMap((item: unknown) => atomsOf(item, depth + 1));
  return Object.entries(value).flatMap(([key, item]) =>
    texts.has(key) || lists.has(key) ? [] : atomsOf(item, depth + 1),
  );
}

import type { BaseMessage } from "@langchain/core/messages";
import {
  finder,
  isDecision,
  messageText,
  probeOf,
  sentences,
  visibleText,
  type MustKeepKind,
} from "@palimpsest/context/internal";
import { atomsOf } from "../recorded-fold.js";
import { commandsIn } from "./commands.js";

export type ItemKind = MustKeepKind | "command" | "decision";
/** `recoverable`: out of sight, but the summary names the file of the session, in which it stands. */
export type ItemFate = "in sight" | "recoverable" | "lost";

/** Something that must not be lost. */
export interface AuditItem {
  readonly kind: ItemKind;
  readonly text: string;
  readonly fate: ItemFate;
  /** The line of the session that it came from. */
  readonly line: number | undefined;
  /** The line on which the agent or the user needed it again. */
  readonly neededAt: number | undefined;
}

/** Kinds by how much it costs to lose one. */
export const itemKinds: readonly ItemKind[] = [
  "constraint",
  "error",
  "call",
  "decision",
  "path",
  "command",
  "url",
  "number",
  "identifier",
];

export const kindNames: Readonly<Record<ItemKind, string>> = {
  constraint: "rules of the user",
  error: "open errors",
  call: "open calls",
  decision: "decisions",
  command: "commands with their exit status",
  path: "files",
  url: "addresses",
  number: "numbers",
  identifier: "names",
};

/** The kind of one thing. */
export const kindName: Readonly<Record<ItemKind, string>> = {
  constraint: "rule",
  error: "error",
  call: "call",
  decision: "decision",
  command: "command",
  path: "file",
  url: "address",
  number: "number",
  identifier: "name",
};

interface Compacted {
  /** The messages around and under the summary. */
  readonly region: readonly BaseMessage[];
  /** What the model was sent after it. */
  readonly context: readonly BaseMessage[];
  /** What followed. */
  readonly later: readonly BaseMessage[];
  readonly summary: string;
}

/** Returns what must not be lost of a compaction and what became of it: worst losses first. Pure. */
export function itemsOf({ region, context, later, summary }: Compacted): readonly AuditItem[] {
  const isSeen = finder(visibleText(context));
  const namesFile = /\S+\.jsonl?\b/.test(summary);
  const sources = region.map((message) => ({ line: lineOf(message), has: finder(visibleText([message])) }));
  const uses = later
    .filter((message) => message.getType() !== "tool")
    .map((message) => ({ line: lineOf(message), has: finder(visibleText([message])) }));
  const items = wanted(region).map(({ kind, text, probe, line }): AuditItem => {
    const fate: ItemFate = isSeen(probe) ? "in sight" : namesFile ? "recoverable" : "lost";
    const neededAt =
      fate === "in sight" || probe.length < 4 ? undefined : uses.find(({ has }) => has(probe))?.line;
    return { kind, text, fate, line: line ?? sources.find(({ has }) => has(probe))?.line, neededAt };
  });
  return items.toSorted((a, b) => rank(a) - rank(b));
}

interface Wanted {
  readonly kind: ItemKind;
  readonly text: string;
  /** The string to look for. */
  readonly probe: string;
  readonly line?: number | undefined;
}

function wanted(region: readonly BaseMessage[]): readonly Wanted[] {
  const atoms = atomsOf(region)
    .filter(({ text }) => !text.startsWith("/dev/"))
    .map((atom) => ({ kind: atom.kind, text: atom.text, probe: probeOf(atom) }));
  const decisions = region.flatMap((message) =>
    message.getType() === "ai"
      ? sentences(messageText(message))
          .filter(isDecision)
          .map((text) => ({ kind: "decision" as const, text, probe: text, line: lineOf(message) }))
      : [],
  );
  const commands = commandsIn(region).map(({ command, status, line }) => ({
    kind: "command" as const,
    text: `${command} (${status})`,
    probe: command,
    line,
  }));
  const distinct = new Map(
    [...atoms, ...decisions, ...commands].map((one) => [`${one.kind} ${one.text}`, one]),
  );
  return [...distinct.values()];
}

function lineOf(message: BaseMessage): number | undefined {
  const line: unknown = message.response_metadata?.["line"];
  return typeof line === "number" ? line : undefined;
}

const fates: readonly ItemFate[] = ["lost", "recoverable", "in sight"];

/** What was needed again comes first, then what is lost, by its kind. */
function rank({ kind, fate, neededAt }: AuditItem): number {
  const needed = neededAt === undefined ? 1 : 0;
  const shown = fate === "in sight" ? 1 : 0;
  return ((shown * 10 + needed) * 10 + fates.indexOf(fate)) * 100 + itemKinds.indexOf(kind);
}

import { basename } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { atomsOf } from "../data/atoms.js";
import { textOf } from "../data/text-of.js";
import { ownLines, tokensOf, type AgentCall } from "./agent-calls.js";
import { replacementsOf, textOfAll, ways, type Replacement, type Replacements } from "./contexts.js";
import { missingFiles } from "./missing-files.js";
import type { PlayedCompaction } from "./played-compaction.js";
import type { Case } from "./predict-rework.js";
import { reworkOf, type Rework, type ReworkCall } from "./rework.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";

/** What one context would have held. Tokens are of four characters. */
export interface Held {
  readonly way: string;
  readonly size: Replacement["size"];
  /** Tokens of the context. */
  readonly tokens: number;
  /** Strings used later that stand in it. */
  readonly strings: number;
  /** Tokens received again whose lines stand in it. */
  readonly receivedAgain: number;
  /** Calls made again of whose lines nine tenths stand in it. */
  readonly calls: number;
}

export interface MeasuredCompaction extends Pick<PlayedCompaction, "set" | "session" | "half" | "number"> {
  readonly rework: Omit<Rework, "again" | "files"> & { readonly again: number; readonly files: number };
  /** Strings that later calls used and that only the thread before the compaction held. */
  readonly strings: number;
  readonly held: readonly Held[];
  /** Ours at default together with what `search_history` answers to each call made again. */
  readonly asked: Pick<Held, "receivedAgain" | "calls"> & { readonly answerTokens: number };
  readonly cases: readonly Case[];
}

/** Share of the tokens that a call brought again, from which it would have been needless. */
const needlessShare = 0.9;

/** Returns what became of one recorded compaction, and what other contexts would have held. */
export async function measureCompaction(compaction: PlayedCompaction): Promise<MeasuredCompaction> {
  const { set, session, half, number, past, after, summary } = compaction;
  const rework = reworkOf(compaction);
  const { again, files, ...counts } = rework;
  const wanted = laterAtoms(past, after);
  const replacements = await replacementsOf(compaction);
  try {
    const held = replacements.all.map((one) => heldBy(one, again, wanted));
    const ours = replacements.all.find(({ way, size }) => way === ways.ours && size === "default");
    const context = ours?.texts[0] ?? "";
    return {
      set,
      session,
      half,
      number,
      rework: { ...counts, again: again.length, files: files.size },
      strings: wanted.length,
      held,
      asked: await askedFor(again, context, replacements.search),
      cases: missingFiles(compaction, summary).map((file) => ({
        ...file,
        half,
        session,
        compaction: `${session} ${number}`,
        isReadAgain: files.has(file.path),
      })),
    };
  } finally {
    await replacements.close();
  }
}

function heldBy(
  { way, size, texts }: Replacement,
  again: readonly ReworkCall[],
  wanted: readonly string[],
): Held {
  const drawn = texts.map((text) => ({
    tokens: text.length / 4,
    strings: wanted.filter((one) => text.includes(one)).length,
    ...allOf(again.map(({ lines }) => partIn(lines, text))),
  }));
  const meanOf = (field: keyof (typeof drawn)[number]) => mean(drawn.map((one) => one[field]));
  const counts = {
    strings: meanOf("strings"),
    receivedAgain: meanOf("receivedAgain"),
    calls: meanOf("calls"),
  };
  return { way, size, tokens: meanOf("tokens"), ...counts };
}

interface PartInSight {
  readonly tokens: number;
  readonly isNeedless: boolean;
}

function partIn(lines: ReadonlySet<string>, text: string): PartInSight {
  const there = ownLines(text);
  const tokens = tokensOf([...lines].filter((line) => there.has(line) || text.includes(line)));
  return { tokens, isNeedless: tokens >= needlessShare * tokensOf(lines) };
}

function allOf(parts: readonly PartInSight[]): Pick<Held, "receivedAgain" | "calls"> {
  return {
    receivedAgain: sumOf(parts, ({ tokens }) => tokens),
    calls: parts.filter(({ isNeedless }) => isNeedless).length,
  };
}

/** Asks `search_history` once for each call made again. */
async function askedFor(
  again: readonly ReworkCall[],
  context: string,
  search: Replacements["search"],
): Promise<MeasuredCompaction["asked"]> {
  const parts: PartInSight[] = [];
  let answers = 0;
  for (const { call, lines } of again) {
    const answer = await search(ownWords(call));
    answers += answer.length / 4;
    parts.push(partIn(lines, `${context}\n${answer}`));
  }
  return { ...allOf(parts), answerTokens: answers };
}

/** What the agent said as it made the call, or what it asked for. */
function ownWords({ args, path = "", said }: AgentCall): string {
  const asked = Object.values(args).filter((value) => typeof value === "string");
  const words = said.trim() === "" ? asked.join(" ") : said;
  return [basename(path), words].join(" ").trim().slice(0, 1_000) || "file";
}

/** Only what the part after the compaction had not shown again before it was used. */
function laterAtoms(past: readonly BaseMessage[], later: readonly BaseMessage[]): readonly string[] {
  const known = textOfAll(past);
  const found = new Set<string>();
  let shown = "";
  for (const message of later) {
    for (const { text } of atomsOf(message))
      if (known.includes(text) && !shown.includes(text)) found.add(text);
    shown += `\n${textOf(message)}`;
  }
  return [...found];
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialogue, Note, Question, Turn } from "./dialogue.js";

interface RecordedTurn {
  readonly dia_id: string;
  readonly speaker: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface RecordedQuestion {
  readonly question: string;
  readonly evidence?: readonly string[];
  readonly category: number;
}

interface RecordedChat {
  readonly id: string;
  /** How long the chat is, in tokens: "100K". */
  readonly size: string;
  readonly turns: readonly {
    readonly id: string;
    readonly role: string;
    readonly text: string;
    readonly session?: number;
  }[];
  readonly questions: readonly {
    readonly type: string;
    readonly question: string;
    readonly evidence: readonly string[];
    readonly parts?: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** Names of the categories, which the files number from 1. */
const categories = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"];

type Observations = Readonly<Record<string, readonly (readonly [string, string | readonly string[]])[]>>;
type Recorded = Readonly<Record<string, unknown>>;

/**
 * Returns the conversations of LoCoMo below a folder, at most `limit`; undefined when there is no folder or it has none.
 */
export function readDialogues(folder: string | undefined, limit = Infinity): readonly Dialogue[] | undefined {
  return readJsonFiles(folder, "locomo")
    ?.slice(0, limit)
    .map(({ name, value }) => toDialogue(name, value() as Recorded));
}

/**
 * Returns the chats of BEAM below a folder, with the questions that have gold evidence; undefined when there is no folder or it
 * has none.
 */
export function readBeam(folder: string | undefined, limit = Infinity): readonly Dialogue[] | undefined {
  return readJsonFiles(folder, "beam")
    ?.slice(0, limit)
    .map(({ value }) => chatOf(value() as RecordedChat));
}

interface JsonFile {
  /** Without its ending. */
  readonly name: string;
  readonly value: () => unknown;
}

/** Returns the JSON files of a set below a folder, by name; undefined when there is no folder or it has none. */
function readJsonFiles(folder: string | undefined, set: string): readonly JsonFile[] | undefined {
  const path = join(folder ?? "", set);
  if (folder === undefined || !existsSync(path)) return undefined;
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (names.length === 0) return undefined;
  return names.toSorted().map((name) => ({
    name: name.replace(".json", ""),
    value: () => JSON.parse(readFileSync(join(path, name), "utf8")) as unknown,
  }));
}

function toDialogue(id: string, recorded: Recorded): Dialogue {
  const sessions = Object.keys(recorded)
    .filter((key) => /^session_\d+$/.test(key))
    .toSorted((one, other) => Number(one.slice(8)) - Number(other.slice(8)));
  const turns = sessions.flatMap((key) => {
    const time = timeOf(recorded[`${key}_date_time`]);
    return (recorded[key] as readonly RecordedTurn[]).map((turn) => ({ ...toTurn(turn), ...time }));
  });
  const known = new Set(turns.map((turn) => turn.id));
  const questions = (recorded["qa"] as readonly RecordedQuestion[]).map((one) => toQuestion(one, known));
  return {
    id,
    turns,
    observations: sessions.flatMap((key) => observationsOf(recorded[`${key}_observation`] as Observations)),
    questions: questions.filter(({ evidence }) => evidence.length > 0),
  };
}

function toTurn({ dia_id: id, speaker, text, blip_caption: caption }: RecordedTurn): Turn {
  return { id, speaker, text: `${speaker}: ${text}${caption === undefined ? "" : ` [shares ${caption}]`}` };
}

/** Reads `1:56 pm on 8 May, 2023`. */
function timeOf(stated: unknown): Pick<Turn, "time"> {
  const [, hour = "", minute = "", half = "", day = ""] =
    /^(\d+):(\d+) ([ap]m) on (.+)$/.exec(String(stated)) ?? [];
  const time = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  return Number.isNaN(time) ? {} : { time: new Date(time).toISOString() };
}

function toQuestion(
  { question, evidence = [], category }: RecordedQuestion,
  known: ReadonlySet<string>,
): Question {
  return {
    text: question,
    evidence: [...new Set(evidence)].filter((id) => known.has(id)),
    category: categories[category - 1] ?? `category ${category}`,
  };
}

function observationsOf(observations: Observations | undefined): readonly Note[] {
  return Object.values(observations ?? {})
    .flat()
    .map(([text, evidence]) => ({ text, evidence: typeof evidence === "string" ? [evidence] : evidence }));
}

function chatOf({ id, size, turns, questions }: RecordedChat): Dialogue {
  return {
    id,
    length: size,
    turns: turns.map(({ id: turn, role, text, session }) => ({
      id: turn,
      speaker: role,
      text,
      ...(session === undefined ? {} : { session: String(session) }),
    })),
    observations: [],
    questions: questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ type, question, evidence, parts }) => ({
        text: question,
        evidence,
        category: type.replaceAll("_", " "),
        ...updatedIn(parts),
      })),
  };
}

function updatedIn(parts: RecordedChat["questions"][number]["parts"]): Pick<Question, "updated"> {
  const { original_info: older = [], updated_info: newer = [] } = parts ?? {};
  return older.length === 0 || newer.length === 0 ? {} : { updated: { older, newer } };
}

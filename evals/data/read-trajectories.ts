import { createReadStream, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { readSession, SessionThread, type RecordedCompaction, type SessionEvent } from "@palimpsest/sessions";
import type { MessageRecord, Trajectory } from "./trajectory.js";

/** Recorded sets besides the sessions, in the JSON-lines form that `evals/README.md` describes. */
export const dialogueSets = ["tau-bench-airline", "who-and-when"] as const;

export interface ReadOptions {
  /** Most trajectories of each set. @default all */
  readonly limit?: number;
  /** Folders to read; those that are absent are left out. */
  readonly sets: readonly string[];
}

/** Returns the recorded trajectories below a folder. The runs of a folder with several sources are of one set for each source. */
export async function readTrajectories(folder: string, options: ReadOptions): Promise<readonly Trajectory[]> {
  const { limit = Infinity, sets } = options;
  const all: Trajectory[] = [];
  for (const set of sets) {
    const path = join(folder, set);
    const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".jsonl")) : [];
    const runs: SourcedRun[] = [];
    for (const name of names.toSorted().slice(0, limit))
      runs.push(await readTrajectory(set, join(path, name)));
    const isOne = isOfOneSource(runs);
    all.push(...runs.map(({ source, ...run }) => ({ ...run, set: isOne ? set : (source ?? set) })));
  }
  return all;
}

/** Folders of long sessions of agents with tools below a folder: those whose name ends in "-sessions". */
export function sessionFolders(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith("-sessions"))
    .toSorted();
}

/** Folders of whole sessions in the form of the agent that wrote them: those whose name ends in "-raw". */
export function rawFolders(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith("-raw"))
    .toSorted();
}

/** A run, and where its first line says that it comes from. */
interface SourcedRun extends Trajectory {
  readonly source: string | undefined;
}

function isOfOneSource(runs: readonly SourcedRun[]): boolean {
  return new Set(runs.map(({ source }) => source)).size < 2;
}

/** A run that is several put one after the other says so in its first line. */
const severalTasks = /one after the other/;

interface About {
  readonly set?: string;
  readonly note?: string;
}

async function readTrajectory(set: string, path: string): Promise<SourcedRun> {
  let about: About = {};
  const reading = new RunReading();
  for await (const { place, bytes, events } of readSession(createReadStream(path), { name: path })) {
    if (place.line === 1 && bytes !== undefined) about = aboutOf(bytes);
    for (const event of events) {
      refuseUnread(event, `${path}, line ${place.line}`);
      reading.add(event);
    }
  }
  return { set, source: about.set, id: basename(path, ".jsonl"), ...reading.run(), ...joinedBy(about) };
}

/** Follows the newest branch of the agent itself: what its subagents say in conversations of their own is left out. */
class RunReading {
  readonly #thread = new SessionThread();
  readonly #compactions: PlacedCompaction[] = [];
  #main: string | undefined;

  add(event: SessionEvent): void {
    const lane = "lane" in event ? event.lane : "";
    if (event.kind === "message") this.#main ??= lane;
    if (this.#main !== undefined && lane !== this.#main) return;
    const change = this.#thread.apply(event);
    if (change?.kind !== "compaction") return;
    this.#compactions.push({ after: this.#thread.happened.at(-1)?.id, compaction: change.compaction });
  }

  run(): Pick<Trajectory, "messages" | "records" | "compactions"> {
    return runOf(this.#thread.happened, this.#compactions);
  }
}

interface PlacedCompaction {
  /** Id of the message before it. */
  readonly after: string | undefined;
  readonly compaction: RecordedCompaction;
}

function runOf(
  messages: readonly BaseMessage[],
  compactions: readonly PlacedCompaction[],
): Pick<Trajectory, "messages" | "records" | "compactions"> {
  return {
    messages: messages.map(plainMessage),
    records: new Map(messages.flatMap(recordOf)),
    compactions: compactions.flatMap(({ after, compaction: { summary, tokensBefore: tokens } }) => {
      const before = messages.findIndex(({ id }) => id === after) + 1;
      // A compaction of an abandoned branch has no place here.
      if (before === 0) return [];
      return [{ before, summary, ...(tokens === undefined ? {} : { tokensBefore: tokens }) }];
    }),
  };
}

function joinedBy({ note = "" }: About): Pick<Trajectory, "isJoined"> {
  return severalTasks.test(note) ? { isJoined: true } : {};
}

/** Returns what the first line says of the run: `{"meta": {...}}`. */
function aboutOf(bytes: Uint8Array): About {
  const { meta = {} } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly meta?: About };
  return meta;
}

/** A recorded set is measured whole, or not at all. */
function refuseUnread(event: SessionEvent, place: string): void {
  if (event.kind === "broken") throw new Error(`${place} cannot be read: ${event.why}`);
  if (event.kind === "unknown") throw new Error(`${place} is no message: ${event.what}`);
}

function recordOf(message: BaseMessage): readonly [string, MessageRecord][] {
  const { usage_metadata: usage } = message as BaseMessage & { usage_metadata?: UsageMetadata };
  const thinking: unknown = message.additional_kwargs["reasoning_content"];
  const record: MessageRecord = {
    ...(usage === undefined ? {} : { inputTokens: usage.input_tokens }),
    ...(typeof thinking === "string" ? { thinking } : {}),
    ...(message.response_metadata["isMeta"] === true ? { isMeta: true as const } : {}),
  };
  return Object.keys(record).length === 0 ? [] : [[message.id ?? "", record]];
}

/** Returns a message of a session without what was recorded beside it: a policy must not see the counts of the recording. */
function plainMessage(message: BaseMessage): BaseMessage {
  const fields = { id: message.id ?? "", content: message.content };
  if (SystemMessage.isInstance(message)) return new SystemMessage(fields);
  if (AIMessage.isInstance(message))
    return new AIMessage({ ...fields, tool_calls: message.tool_calls ?? [] });
  if (!ToolMessage.isInstance(message)) return new HumanMessage(fields);
  const { tool_call_id, name, status = "success" } = message;
  return new ToolMessage({ ...fields, tool_call_id, status, ...(name === undefined ? {} : { name }) });
}

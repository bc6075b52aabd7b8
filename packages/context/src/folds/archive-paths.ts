import { digest } from "../messages/message-id.js";
import type { Media } from "../messages/media.js";
import { textKind } from "../messages/text.js";

/** Every file of an archive is below this folder. The formats of the paths stand in this file and nowhere else. */
const root = "/context/";

/** Folder of an archive. The lane of an agent has folders of the same names. */
export const archiveFolders = {
  results: `${root}results/`,
  inputs: `${root}inputs/`,
  history: `${root}history/`,
  certificates: `${root}certificates/`,
  prepared: `${root}prepared/`,
  prompts: `${root}prompts/`,
  steps: `${root}steps/`,
  standIns: `${root}stand-ins/`,
} as const;

const { results, inputs, history, certificates, prepared, prompts, steps, standIns } = archiveFolders;

/** What other agents of the thread may read of a lane: nothing, the stand-ins of its folds, or also the originals. */
export type LaneShare = "none" | "summary" | "all";

/** The part of a thread's archive in which one agent folds, and what others may read of it. */
export interface Lane {
  /** Name of the agent: 1 to 40 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly share: LaneShare;
}

/** Options of a pass that writes to an archive. */
export interface LaneOptions {
  /** The agent's part of the archive. @default the part that all agents of the thread share */
  readonly lane?: Lane | undefined;
}

/** Folder with the lanes of a thread. */
const lanesFolder = `${root}lanes/`;

/** Returns the folder of a lane; the folder of the archive for an agent without one. */
export function laneFolder(lane: Lane | undefined): string {
  return lane === undefined ? root : `${lanesFolder}${lane.name}/`;
}

/** Returns the name of the lane that holds a path; undefined for a path in no lane. */
export function laneOfPath(path: string): string | undefined {
  return inLane.exec(path)?.[1];
}

const inLane = /^\/context\/lanes\/([\w-]+)\//;

/** Returns the folder of the history that a path belongs to: that of its lane, if it is in one. */
export function historyFolderOf(path = ""): string {
  return (inLane.exec(path)?.[0] ?? root) + history.slice(root.length);
}

/** Returns the path as an agent without a lane has it. */
function plain(path: string): string {
  return path.replace(inLane, root);
}

/** Returns the path in a lane of a path without one. */
function laned<Path extends string | FilePair>(path: Path, lane: Lane | undefined): Path {
  if (lane === undefined) return path;
  const moved = (one: string) => laneFolder(lane) + one.slice(root.length);
  if (typeof path === "string") return moved(path) as Path;
  return { path: moved(path.path), record: moved(path.record) } as Path;
}

/** Matches the path of an offloaded result or argument in a text. */
export const offloadedPath = /\/context\/(?:lanes\/[\w-]+\/)?(?:results|inputs)\/[\w.-]+\w/;

/** A readable file, whose path the model sees, and the lossless record of the same messages. */
export interface FilePair {
  readonly path: string;
  readonly record: string;
}

/** True for a path below `/context/`. */
export function isArchivePath(path: unknown): path is string {
  return typeof path === "string" && path.startsWith(root);
}

/** True for a file of stored messages, one on each line. It repeats its readable file. */
export function isRecord(path: string): boolean {
  return path.endsWith(".jsonl");
}

/** True for a file that holds nothing of the conversation of its own: a record, a certificate, or a prompt. */
export function isCopyPath(path: string): boolean {
  return isArchivePath(path) && (isRecord(path) || isCertificate(path) || isPrompt(path));
}

/** True for a certificate. */
export function isCertificate(path: string): boolean {
  return plain(path).startsWith(certificates);
}

/** True for a file of a system prompt and tools. */
export function isPrompt(path: string): boolean {
  return plain(path).startsWith(prompts);
}

/** True for a readable file of folded messages. */
export function isHistoryPath(path: string): boolean {
  return plain(path).startsWith(history) && path.endsWith(".md");
}

/** True for the one file that each fold of a message or of several has. */
export function isFoldFile(path: string): boolean {
  const own = plain(path);
  if (own.startsWith(results)) return !path.endsWith(messageEnding) && !isDataUrl(path);
  return isRecord(path) && (own.startsWith(history) || own.startsWith(`${inputs}message-`));
}

/** Returns the kind of an archive file: its folder, such as `results`, and `lanes` for every file of a lane. */
export function archiveKind(path: string): string {
  return path.slice(root.length).split("/", 1)[0] ?? "";
}

const messageEnding = ".message.jsonl";

/** Returns the files of the content of a message, named by tool and content. */
export function resultFiles(
  name: string,
  text: string,
  lane?: Lane,
): { readonly path: string; readonly recordOf: (stored: string) => string } {
  const stem = laned(`${results}${archiveName(name)}-${digest(text)}`, lane);
  const path = `${stem}.${textKind(text) === "JSON" ? "json" : "txt"}`;
  return { path, recordOf: (stored) => `${stem}-${digest(stored)}${messageEnding}` };
}

const dataUrlEnding = ".dataurl";

interface MediaFile {
  readonly path: string;
  readonly content: string;
}

/**
 * Returns the file for the bytes of an image or file of a message: a data URL, so that it can be read again as what it was.
 * Undefined for one that only names an address. Equal bytes have the same path.
 */
export function mediaFile(
  { mimeType, base64 = "", name = mimeType }: Media,
  lane?: Lane,
): MediaFile | undefined {
  if (base64 === "") return undefined;
  const path = laned(`${results}${archiveName(name)}-${digest(base64)}${dataUrlEnding}`, lane);
  return { path, content: `data:${mimeType};base64,${base64}` };
}

/** True for a file that is kept as a data URL: it holds no words. */
export function isDataUrl(path: string): boolean {
  return path.endsWith(dataUrlEnding);
}

/** Returns the path of one text of a reply. */
export function replyPath(text: string, lane?: Lane): string {
  return laned(`${results}reply-${digest(text)}.txt`, lane);
}

/** Returns the path of the record of a reply. */
export function replyRecord(stored: string, lane?: Lane): string {
  return laned(`${results}reply-${digest(stored)}${messageEnding}`, lane);
}

/** Returns the path of one argument of a call. */
export function inputPath(tool: string, text: string, lane?: Lane): string {
  return laned(`${inputs}${archiveName(tool)}-${digest(text)}.txt`, lane);
}

/** Returns the path of the record of a message with calls. */
export function inputRecord(stored: string, lane?: Lane): string {
  return laned(`${inputs}message-${digest(stored)}.jsonl`, lane);
}

/** Returns the files of a summary. Names sort by generation. */
export function summaryFiles(generation: number, name: string, lane?: Lane): FilePair {
  return laned(pair(`${history}${padded(generation)}-${name}`), lane);
}

/**
 * Returns the record of a stand-in that has lost its fold, by its id, which has the name of the record, and its text, which has the
 * place; undefined for any other message, and for a block of a lane. Pure.
 */
export function recordOfStandIn(id: string, text: string): string | undefined {
  // Hot path: hardly any message has such an id.
  const [, block = "", name = ""] = /^(?:summary|trim|steps|m[ai]cro-(\d+))-([\w-]+)$/.exec(id) ?? [];
  if (name === "") return undefined;
  const paths = text.match(/\/context\/[\w/-]+\.md/g) ?? [];
  const path = paths.find((one) => one.endsWith(`/${name}.md`) || one.endsWith(`-${name}.md`));
  if (path !== undefined) return path.replace(/md$/, "jsonl");
  const [, startStep, endStep] = new RegExp(`^\\[S${block} steps (\\d+)-(\\d+)\\]`, "m").exec(text) ?? [];
  if (block === "" || startStep === undefined) return undefined;
  return blockFiles({ startStep: Number(startStep), endStep: Number(endStep) }, name).record;
}

/** Returns the files of a block. */
export function blockFiles(
  block: { readonly startStep: number; readonly endStep: number },
  name: string,
  lane?: Lane,
): FilePair {
  return laned(pair(`${history}steps-${block.startStep}-${block.endStep}-${name}`), lane);
}

/** Returns the path of a record of messages without a readable file. */
export function historyRecord(what: "reasoning" | "answers", stored: string, lane?: Lane): string {
  return laned(`${history}${what}-${digest(stored)}.jsonl`, lane);
}

/** Returns the path of a certificate, beside its originals. Names sort by generation. */
export function certificatePath(generation: number, content: string, originals: string): string {
  const folder = inLane.exec(originals)?.[0] ?? root;
  const name = `${padded(generation)}-${digest(content)}.md`;
  return folder + certificates.slice(root.length) + name;
}

/** Returns the path of the stand-ins of one commit of a lane. */
export function standInsPath(content: string, lane: Lane): string {
  return laned(`${standIns}${digest(content)}.md`, lane);
}

/** Returns the path of a system prompt and tools, as JSON. */
export function promptPath(content: string, lane?: Lane): string {
  return laned(`${prompts}${digest(content)}.json`, lane);
}

/** Returns the path of a summary that was written before it was due. */
export function preparedPath(name: string, lane?: Lane): string {
  return laned(`${prepared}${name}.jsonl`, lane);
}

/** Returns the files of a step. */
export function stepFiles(name: string): FilePair {
  return pair(`${steps}${name}`);
}

/** Returns the number of a step from the path of its text; undefined for another path. */
export function stepOf(path: string): number | undefined {
  const [, step] = /^\/context\/steps\/(\d+)-[0-9a-f]{6}\.md$/.exec(path) ?? [];
  return step === undefined ? undefined : Number(step);
}

/** Returns the steps of a run from the path of its text; undefined for another path. */
export function stepsOfRun(path: string): { readonly first: number; readonly last: number } | undefined {
  const [, first, last] = /^\/context\/steps\/runs\/(\d+)-(\d+)-[0-9a-f]{6}\.md$/.exec(path) ?? [];
  return first === undefined || last === undefined ? undefined : { first: Number(first), last: Number(last) };
}

function pair(stem: string): FilePair {
  return { path: `${stem}.md`, record: `${stem}.jsonl` };
}

function padded(generation: number): string {
  return String(generation).padStart(4, "0");
}

/** Converts any text, such as a hostile tool name, to a file name part of at most 40 safe characters. */
function archiveName(text: string): string {
  const safe = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return safe.slice(0, 40) || "message";
}

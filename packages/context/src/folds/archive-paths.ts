import { digest } from "../messages/message-id.js";
import type { Media } from "../messages/media.js";
import { textKind } from "../messages/text.js";

/** Every file of an archive is below this folder. The formats of the paths stand in this file and nowhere else. */
const root = "/context/";

/** Folder of an archive. */
export const archiveFolders = {
  results: `${root}results/`,
  inputs: `${root}inputs/`,
  history: `${root}history/`,
  certificates: `${root}certificates/`,
  prepared: `${root}prepared/`,
  prompts: `${root}prompts/`,
  steps: `${root}steps/`,
} as const;

const { results, inputs, history, certificates, prepared, prompts, steps } = archiveFolders;

/** Matches the path of an offloaded result or argument in a text. */
export const offloadedPath = /\/context\/(?:results|inputs)\/[\w.-]+\w/;

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
  return isArchivePath(path) && (isRecord(path) || path.startsWith(certificates) || isPrompt(path));
}

/** True for a file of a system prompt and tools. */
export function isPrompt(path: string): boolean {
  return path.startsWith(prompts);
}

/** True for a readable file of folded messages. */
export function isHistoryPath(path: string): boolean {
  return path.startsWith(history) && path.endsWith(".md");
}

/** True for the one file that each fold of a message or of several has. */
export function isFoldFile(path: string): boolean {
  if (path.startsWith(results)) return !path.endsWith(messageEnding) && !isDataUrl(path);
  return isRecord(path) && (path.startsWith(history) || path.startsWith(`${inputs}message-`));
}

/** Returns the kind of an archive file: its folder, such as `results`. */
export function archiveKind(path: string): string {
  return path.slice(root.length).split("/", 1)[0] ?? "";
}

const messageEnding = ".message.jsonl";

/** Returns the files of the content of a message, named by tool and content. */
export function resultFiles(
  name: string,
  text: string,
): { readonly path: string; readonly recordOf: (stored: string) => string } {
  const stem = `${results}${archiveName(name)}-${digest(text)}`;
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
export function mediaFile({ mimeType, base64 = "", name = mimeType }: Media): MediaFile | undefined {
  if (base64 === "") return undefined;
  const path = `${results}${archiveName(name)}-${digest(base64)}${dataUrlEnding}`;
  return { path, content: `data:${mimeType};base64,${base64}` };
}

/** True for a file that is kept as a data URL: it holds no words. */
export function isDataUrl(path: string): boolean {
  return path.endsWith(dataUrlEnding);
}

/** Returns the path of one text of a reply. */
export function replyPath(text: string): string {
  return `${results}reply-${digest(text)}.txt`;
}

/** Returns the path of the record of a reply. */
export function replyRecord(stored: string): string {
  return `${results}reply-${digest(stored)}${messageEnding}`;
}

/** Returns the path of one argument of a call. */
export function inputPath(tool: string, text: string): string {
  return `${inputs}${archiveName(tool)}-${digest(text)}.txt`;
}

/** Returns the path of the record of a message with calls. */
export function inputRecord(stored: string): string {
  return `${inputs}message-${digest(stored)}.jsonl`;
}

/** Returns the files of a summary. Names sort by generation. */
export function summaryFiles(generation: number, name: string): FilePair {
  return pair(`${history}${padded(generation)}-${name}`);
}

/** Returns the files of a block. */
export function blockFiles(
  block: { readonly startStep: number; readonly endStep: number },
  name: string,
): FilePair {
  return pair(`${history}steps-${block.startStep}-${block.endStep}-${name}`);
}

/** Returns the path of a record of messages without a readable file. */
export function historyRecord(what: "reasoning" | "answers", stored: string): string {
  return `${history}${what}-${digest(stored)}.jsonl`;
}

/** Returns the path of a certificate. Names sort by generation. */
export function certificatePath(generation: number, content: string): string {
  return `${certificates}${padded(generation)}-${digest(content)}.md`;
}

/** Returns the path of a system prompt and tools, as JSON. */
export function promptPath(content: string): string {
  return `${prompts}${digest(content)}.json`;
}

/** Returns the path of a summary that was written before it was due. */
export function preparedPath(name: string): string {
  return `${prepared}${name}.jsonl`;
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

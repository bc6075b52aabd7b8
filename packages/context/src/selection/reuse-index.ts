import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf } from "../file-calls.js";
import { isToolResult, toolCalls } from "../tool-calls.js";
import { atomWords } from "./atom-words.js";
import { blocksOf } from "./blocks-of.js";
import { detached } from "./detached.js";
import type { Atom, FileState, IndexedChunk, IndexedLine, Place, WordState } from "./indexed-chunk.js";
import { isLineAtom, lineAtoms, wholeLineAtom } from "./line-atoms.js";
import { messageLines, type MessageLine } from "./message-lines.js";
import { mostPlaces } from "./near-atoms.js";
import { pruneIndex } from "./prune-index.js";
import type { ReuseMemory } from "./reuse-memory.js";

export interface ReuseIndexOptions {
  /** Tokens of old lines that may be chosen from; the least promising beyond them are left to the archive. @default 256,000 */
  readonly candidateTokens?: number;
}

export interface AppendOptions {
  /** True where a provider refuses a cut before this chunk. @default false */
  readonly joined?: boolean;
  /** Stays whole whatever it costs, inside the budget. @default false */
  readonly pinned?: boolean;
}

/** Messages of the user that are looked at in each selection. */
const mostUsers = 256;
/** Candidates grow by this factor before the least promising are left out, so that this is rare. */
const slack = 1.25;

/**
 * What is known of a thread for choosing what its next step needs: every string that a call may use again, and where it
 * stands. Fed chunk by chunk, in time proportional to the chunk; memory is bounded by `candidateTokens`.
 *
 * The same chunks in the same order always give the same index.
 */
export class ReuseIndex implements ReuseMemory {
  readonly atoms = new Map<string, Atom>();
  readonly files = new Map<string, FileState>();
  readonly chunks: IndexedChunk[] = [];
  /** Those of the chunks that have blocks to choose from, in order. */
  live: IndexedChunk[] = [];
  /** The newest message of the user. */
  newestUser: IndexedChunk | undefined;
  /** The first message of the user and the newest ones, oldest first. */
  readonly users: IndexedChunk[] = [];
  readonly pins: IndexedChunk[] = [];
  /** Words of identifiers and of what is said. */
  readonly words = new Map<string, WordState>();
  readonly candidateTokens: number;
  /** Tokens of the lines that may be chosen now. */
  liveTokens = 0;

  constructor({ candidateTokens = 256_000 }: ReuseIndexOptions = {}) {
    this.candidateTokens = candidateTokens;
  }

  /** Adds a finished chunk: a message of the model with its results, or one other message. */
  append(
    messages: readonly BaseMessage[],
    { joined = false, pinned = false }: AppendOptions = {},
  ): IndexedChunk {
    const chunk = this.#read(messages, { joined, pinned });
    this.chunks.push(chunk);
    this.#learn(chunk);
    chunk.blocks.push(...blocksOf(chunk));
    this.live.push(chunk);
    if (chunk.type === "human") this.#remember(chunk);
    if (pinned) this.pins.push(chunk);
    this.liveTokens += chunk.tokens;
    if (this.liveTokens > this.candidateTokens * slack) pruneIndex(this);
    return chunk;
  }

  /** From now on a chunk comes with the one before it or not at all. */
  join(at: number): void {
    const chunk = this.chunks[at];
    if (chunk !== undefined) chunk.joined = true;
  }

  #remember(user: IndexedChunk): void {
    this.newestUser = user;
    this.users.push(user);
    if (this.users.length > mostUsers) this.users.splice(1, 1);
  }

  #read(messages: readonly BaseMessage[], { joined, pinned }: Required<AppendOptions>): IndexedChunk {
    const index = this.chunks.length;
    const lines: IndexedLine[] = [];
    const paths = new Map<string, string>();
    for (const message of messages) {
      const file = this.#fileOf(message, paths);
      messageLines(message).forEach((line, at) => {
        lines.push(this.#line(line, { index, file, starts: at === 0 }));
      });
    }
    const characters = lines.reduce((sum, line) => sum + line.text.length + (line.continues ? 0 : 1), 0);
    const [first] = messages;
    return {
      index,
      lines,
      blocks: [],
      tokens: characters / 4,
      type: first?.getType() ?? "",
      calls: messages.some((message) => toolCalls(message).length > 0),
      joined,
      pinned,
      title: (lines.find(({ text }) => text.trim() !== "")?.text ?? "").trim().slice(0, 80),
    };
  }

  #line(
    line: MessageLine,
    at: { readonly index: number; readonly file: FileState | undefined; readonly starts: boolean },
  ) {
    const text = detached(line.text);
    const atoms = atomsOf(line).map((name) => this.#atom(name, at.index));
    for (const atom of atoms) if (at.file !== undefined) atom.file = at.file;
    return { text, role: line.role, continues: line.continues, starts: at.starts, atoms };
  }

  /** Counts and uses are known only once the whole chunk is: an edit's old text may stand elsewhere in it. */
  #learn(chunk: IndexedChunk): void {
    const seen = new Set<Atom>();
    const used = new Set<Atom>();
    const gone = new Set<Atom>();
    const words = new Set<string>();
    chunk.lines.forEach((line, at) => {
      for (const atom of line.atoms) {
        if (line.role === "argument" || (line.role === "old" && atom.isLine)) used.add(atom);
        if (line.role === "old") gone.add(atom);
        if (!atom.isLine) place(atom, { chunk, line: at });
        seen.add(atom);
      }
      for (const word of atomWords(line.text)) words.add(word);
    });
    const kept = new Set(chunk.lines.flatMap(({ atoms, role }) => (role === "old" ? [] : atoms)));
    for (const atom of seen) {
      atom.last = chunk.index;
      atom.count++;
      if (used.has(atom)) atom.uses++;
      if (gone.has(atom)) atom.dead = !kept.has(atom);
    }
    for (const word of words) this.#word(word).chunks++;
  }

  #fileOf(message: BaseMessage, paths: Map<string, string>): FileState | undefined {
    if (isToolResult(message)) {
      const path = paths.get(message.tool_call_id);
      return path === undefined ? undefined : this.files.get(path);
    }
    let file: FileState | undefined;
    for (const call of toolCalls(message)) {
      const path = filePathOf(call) ?? shellPath(call.args);
      if (path === undefined) continue;
      file = this.files.get(path) ?? { touched: 0 };
      file.touched = this.chunks.length;
      this.files.set(detached(path), file);
      if (call.id !== undefined) paths.set(call.id, path);
    }
    return file;
  }

  #word(text: string): WordState {
    const known = this.words.get(text);
    if (known !== undefined) return known;
    const word = { chunks: 0, said: 0 };
    this.words.set(detached(text), word);
    return word;
  }

  #atom(name: string, index: number): Atom {
    const known = this.atoms.get(name);
    if (known !== undefined) return known;
    const text = detached(name);
    const isLine = isLineAtom(text);
    const atom: Atom = {
      text,
      isLine,
      words: isLine ? [] : atomWords(text.split("/").slice(-2).join("/")).map((word) => this.#word(word)),
      last: index,
      count: 0,
      uses: 0,
      dead: false,
      file: undefined,
      places: [],
      nearCalls: 0,
      nearIntent: 0,
      weight: 0,
      probability: 0,
      covered: 0,
    };
    this.atoms.set(text, atom);
    return atom;
  }
}

/** Adds a place; old ones that are not looked at any more are dropped now and then. */
function place(atom: Atom, added: Place): void {
  atom.places.push(added);
  if (atom.places.length > 2 * mostPlaces) atom.places = atom.places.slice(-mostPlaces);
}

function atomsOf(line: MessageLine): readonly string[] {
  const atoms = lineAtoms(line.text);
  if (line.role !== "result" && line.role !== "old" && line.role !== "new") return atoms;
  const whole = wholeLineAtom(line.text);
  return whole === undefined ? atoms : [...atoms, whole];
}

/** The first path of a shell command. */
function shellPath(args: Readonly<Record<string, unknown>>): string | undefined {
  const command = args["command"] ?? args["cmd"];
  if (typeof command !== "string") return undefined;
  return /(?:[\w.@~+-]*\/)+[\w.@~+-]*[\w~]/.exec(command.slice(0, 2_000))?.[0];
}

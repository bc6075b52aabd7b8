import type { BaseMessage } from "@langchain/core/messages";
import { isOwn } from "../folds/fold.js";
import { reusableAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import { messageLines, type MessageLine } from "../messages/message-lines.js";
import { filePathOf, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { newItems, noPlan, readPlan, type PlanList } from "../plans/plan-list.js";
import { AtomTable } from "./atom-table.js";
import {
  blocksOf,
  placeOf,
  tokenUnit,
  type ExcerptCosts,
  type FileState,
  type IndexedChunk,
  type IndexedLine,
  type TokenUnit,
} from "./indexed-chunk.js";
import { candidateSize, pruneIndex } from "./prune-index.js";
import { ShownNames } from "./render-excerpt.js";
import type { ReuseMemory } from "./reuse-weights.js";
import { recentWords, scoreAtoms } from "./score-atoms.js";
import { atomWords, detached, WordTable } from "./word-table.js";

export interface ReuseIndexOptions {
  /** Maximum tokens of candidate lines; beyond it the index prunes the least probable ones. @default 256,000 */
  readonly candidateTokens?: number;
  /** Counts each chunk and block once. @default four characters per token */
  readonly tokenCounter?: TokenCounter;
  /**
   * True for an index that is read whole, scored once by `scoreOnce` and left: makes no blocks, so nothing can be selected.
   * @default false
   */
  readonly isForOneScore?: boolean;
}

export interface AppendOptions {
  /** True when providers reject a cut before this chunk. @default false */
  readonly joined?: boolean;
  /** Stays whole while it fits the budget. @default false */
  readonly pinned?: boolean;
}

/** Maximum user messages that a selection considers. */
const maxUsers = 256;
/** How a chunk holds a string: in its calls, in the old text of an edit, in other text. */
const marks = { used: 1, gone: 2, kept: 4 } as const;
/** Candidates may exceed `candidateTokens` by this factor before the index prunes them, so that pruning is rare. */
const slack = 1.25;

/**
 * Index of a thread for selecting the context of its next step: every string that a call may use again, with its places.
 * Appending a chunk takes time proportional to the chunk; `candidateTokens` bounds the candidates.
 *
 * Deterministic: the same chunks in the same order produce the same index.
 */
export class ReuseIndex implements ReuseMemory {
  /** Words of identifiers and of message text. */
  readonly words = new WordTable();
  readonly atoms = new AtomTable(this.words);
  readonly files = new Map<string, FileState>();
  readonly chunks: IndexedChunk[] = [];
  /** True once a chunk has a tool call; a thread without any is a chat. */
  hasCalls = false;
  /** Chunks with candidate blocks, in order. */
  live: IndexedChunk[] = [];
  /** The newest check-list of the agent or the user. */
  plan: PlanList = noPlan;
  /** The newest user message. */
  newestUser: IndexedChunk | undefined;
  /** The first user message and the newest ones, oldest first. */
  readonly users: IndexedChunk[] = [];
  readonly pins: IndexedChunk[] = [];
  readonly candidateTokens: number;
  /** Tokens of the candidate blocks. */
  liveTokens = 0;

  /** Valid at `#shownAt` chunks. */
  readonly #names = new ShownNames();
  #shownAt = 0;

  readonly #unit: TokenUnit;
  readonly #isForOneScore: boolean;

  constructor(options: ReuseIndexOptions = {}) {
    const { candidateTokens = defaults.candidateTokens, tokenCounter, isForOneScore = false } = options;
    this.#isForOneScore = isForOneScore;
    this.candidateTokens = candidateTokens;
    this.#unit = tokenUnit(tokenCounter);
  }

  get costs(): ExcerptCosts {
    return this.#unit.costs;
  }

  /** Adds a finished chunk: a model message with its results, or one other message. */
  append(
    messages: readonly BaseMessage[],
    { joined = false, pinned = false }: AppendOptions = {},
  ): IndexedChunk {
    const chunk = this.#read(messages, { joined, pinned });
    this.chunks.push(chunk);
    if (chunk.calls) this.hasCalls = true;
    this.#learn(chunk);
    if (chunk.type === "human") this.#remember(chunk);
    if (pinned) this.pins.push(chunk);
    if (!this.#isForOneScore) this.#offer(chunk);
    return chunk;
  }

  /** Makes the blocks of a chunk, from which a selection chooses. */
  #offer(chunk: IndexedChunk): void {
    this.words.count(wordsOf(chunk));
    chunk.blocks = [...blocksOf(chunk, this.#unit)];
    for (const block of chunk.blocks) {
      this.liveTokens += candidateSize(block);
      for (const number of block.atoms) this.atoms.hold(number);
    }
    this.live.push(chunk);
    if (this.liveTokens > this.candidateTokens * slack) pruneIndex(this);
  }

  /** Scores the strings of an index that was made for it. Of all words it counts those that scoring looks up. */
  scoreOnce(): void {
    const recent = new Set(recentWords(this));
    for (const chunk of this.chunks) this.words.count(wordsOf(chunk).filter((word) => recent.has(word)));
    scoreAtoms(this);
  }

  /** Joins a chunk to the one before it: a selection keeps both whole or neither. */
  join(at: number): void {
    const chunk = this.chunks[at];
    if (chunk !== undefined) chunk.joined = true;
  }

  /** Returns the numbers of the indexed strings in a text, each once. */
  atomsIn(text: string): readonly number[] {
    if (this.#shownAt !== this.chunks.length) {
      this.#shownAt = this.chunks.length;
      this.#names.turn();
    }
    return this.#names.numbersIn(text, this.atoms);
  }

  #remember(user: IndexedChunk): void {
    this.newestUser = user;
    this.users.push(user);
    if (this.users.length > maxUsers) this.users.splice(1, 1);
  }

  #read(messages: readonly BaseMessage[], { joined, pinned }: Required<AppendOptions>): IndexedChunk {
    const index = this.chunks.length;
    const lines: IndexedLine[] = [];
    const paths = new Map<string, string>();
    for (const message of messages) {
      const file = this.#fileOf(message, paths);
      const read = messageLines(message);
      const before = this.plan;
      this.plan = readPlan(before, read);
      const items = newItems(this.plan, before);
      read.forEach((line, at) => {
        lines.push(this.#line(line, { file, starts: at === 0, isItem: items.has(line.text.trim()) }));
      });
    }
    const characters = lines.reduce((sum, line) => sum + line.text.length + (line.continues ? 0 : 1), 0);
    const [first] = messages;
    const last = this.chunks.at(-1);
    return {
      index,
      lines,
      blocks: [],
      tokens: this.#unit.messages(messages) ?? characters / 4,
      before: last === undefined ? 0 : last.before + last.tokens,
      type: first === undefined || !isOwn(first) ? "" : first.getType(),
      calls: messages.some((message) => toolCalls(message).length > 0),
      joined,
      pinned,
      title: (lines.find(({ text }) => text.trim() !== "")?.text ?? "").trim().slice(0, 80),
    };
  }

  #line(
    line: MessageLine,
    at: { readonly file: FileState | undefined; readonly starts: boolean; readonly isItem: boolean },
  ): IndexedLine {
    const item = at.isItem ? wholeLineAtom(line.text) : undefined;
    const names = new Set([...reusableAtoms(line), ...(item === undefined ? [] : [item])]);
    const atoms = [...names].map((name) => this.atoms.add(name));
    if (at.file !== undefined) for (const number of atoms) this.atoms.files[number] = at.file;
    return {
      text: detached(line.text),
      role: line.role,
      continues: line.continues,
      starts: at.starts,
      atoms,
    };
  }

  /** Updates the statistics after the whole chunk is read, because an edit's old text may occur elsewhere in it. */
  #learn(chunk: IndexedChunk): void {
    const { atoms: table } = this;
    const seen: number[] = [];
    chunk.lines.forEach(({ atoms, role }, line) => {
      for (const number of atoms) {
        const isLine = table.isLine[number] === 1;
        const mark = table.mark[number] ?? 0;
        if (mark === 0) seen.push(number);
        const isUse = role === "argument" || (role === "old" && isLine);
        table.mark[number] = mark | (role === "old" ? marks.gone : marks.kept) | (isUse ? marks.used : 0);
        if (!isLine) table.place(number, placeOf(chunk, line));
      }
    });
    for (const number of seen) {
      const mark = table.mark[number] ?? 0;
      table.mark[number] = 0;
      table.see(number, chunk.index);
      if ((mark & marks.used) > 0) table.use(number);
      if ((mark & marks.gone) > 0) table.dead[number] = (mark & marks.kept) > 0 ? 0 : 1;
    }
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
}

function wordsOf({ lines }: IndexedChunk): readonly string[] {
  return atomWords(lines.map(({ text }) => text).join("\n"));
}

/** Returns the first path in a shell command. */
function shellPath(args: Readonly<Record<string, unknown>>): string | undefined {
  const command = args["command"] ?? args["cmd"];
  if (typeof command !== "string") return undefined;
  return /(?:[\w.@~+-]*\/)+[\w.@~+-]*[\w~]/.exec(command.slice(0, 2_000))?.[0];
}

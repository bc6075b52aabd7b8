import type { AtomTable } from "./atom-table.js";
import { chooseBlocks, cover } from "./choose-blocks.js";
import { blockText, linesText, type Block, type ExcerptCosts, type IndexedChunk } from "./indexed-chunk.js";
import { chatNeighbours, rankUnits } from "./rank-blocks.js";
import type { ReuseIndex } from "./reuse-index.js";
import type { ReuseWeights } from "./reuse-weights.js";
import { scoreAtoms } from "./score-atoms.js";
import { wholeChunks, type ReservedChunk, type WholeReason } from "./whole-chunks.js";

export interface SelectContextOptions {
  /** Tokens that the context may take, in the unit of the index. Exceeded only by what is reserved. */
  readonly budget: number;
  /** Newest chunks that stay whole. @default 2 */
  readonly wholeSteps?: number;
  /** Share of the budget that whole chunks may take before the rest goes to excerpts. @default 0.25 */
  readonly recentShare?: number;
  /** Share of the budget that messages of the user take at most, besides the first and the newest. @default 0.1 */
  readonly userShare?: number;
  /** Share of the budget that all which must stay whole may take. @default 0.85 */
  readonly wholeShare?: number;
  /** What the user asks: some of the excerpts are then found by its words. @default the newest message, when it is the user's */
  readonly query?: string;
  /** Share of the excerpts that the words of a query may take, in a thread with calls. @default 0.25 */
  readonly queryShare?: number;
  /** False for a chunk whose messages cannot be sent any more. @default every chunk can */
  readonly canBeWhole?: (chunk: IndexedChunk) => boolean;
  /** Chunks that are sent in any case, by index. @default none */
  readonly reserved?: ReadonlyMap<number, ReservedChunk>;
  /** @default reuseWeights */
  readonly weights?: ReuseWeights;
  /** The beginning of the context that stands as it is; the selection is made for what comes behind it. @default none */
  readonly kept?: KeptContext;
}

/** The beginning of a context: what it tells of the steps before `end`. */
export interface KeptContext {
  /** Chunks before this one are told by it, or left out by it. */
  readonly end: number;
  /** Those of them that stand whole. */
  readonly whole: ReadonlySet<number>;
  /** What else it shows, lines of any chunks. */
  readonly texts: readonly string[];
  readonly tokens: number;
}

/** What the next step is to be sent. */
export interface ContextSelection {
  /** Chunks that stay whole, each with the reason. */
  readonly whole: ReadonlyMap<number, WholeReason>;
  /** Blocks of other chunks, by chunk, in order. */
  readonly excerpts: ReadonlyMap<number, readonly Block[]>;
  /** The same blocks, the one to leave out first at the end: found by words, then by what they promised for their size. */
  readonly order: readonly Block[];
  /** Chunks of the excerpts that the words of a query found. */
  readonly found: ReadonlySet<number>;
  /** Those of what was kept included. */
  readonly tokens: number;
  /** How many of the strings of the next call it probably shows. */
  readonly mass: number;
}

/**
 * Returns which chunks stay whole and which blocks of the others are shown: reuse coverage under a hard budget.
 *
 * Takes what must stay whole, then the newest chunks, then for the rest of the budget the blocks that hold the most
 * probability of being used next. After a message of the user some of that goes to blocks with its words; in a thread
 * without calls all of it.
 */
export function selectContext(index: ReuseIndex, options: SelectContextOptions): ContextSelection {
  scoreAtoms(index, options.weights);
  return selectScored(index, options);
}

/** The same, by probabilities that are up to date. */
export function selectScored(index: ReuseIndex, options: SelectContextOptions): ContextSelection {
  const { budget, kept } = options;
  const { atoms } = index;
  atoms.open.set(atoms.probability);
  const whole = wholeChunks(index, options);
  const left = new Set([...whole.keys(), ...(kept?.whole ?? [])]);
  let used = coverStanding(index, { whole, left, options });
  const rest = index.live.filter((chunk) => !left.has(chunk.index));
  const found = new Set<Block>();
  const query = queryOf(index, options);
  if (query !== undefined) {
    const chat = !rest.some(({ calls }) => calls);
    const share = chat ? 1 : (options.queryShare ?? 0.25);
    const shown = kept?.texts.join("\n") ?? "";
    used += findBlocks(rest, {
      query,
      budget: (budget - used) * share,
      found,
      chat,
      shown,
      costs: index.costs,
    });
    for (const block of found) cover(atoms, block.atoms);
  }
  const { blocks, tokens } = chooseBlocks(atoms, rest, {
    budget: budget - used,
    chunks: index.chunks.length,
    costs: index.costs,
  });
  const order = [...new Set([...found, ...blocks])];
  return {
    whole,
    excerpts: byChunk(order),
    order,
    found: new Set([...found].map(({ chunk }) => chunk.index)),
    tokens: used + tokens,
    mass: shownMass(atoms),
  };
}

interface StandingChunks {
  readonly whole: ReadonlyMap<number, WholeReason>;
  /** Those of what is kept included. */
  readonly left: ReadonlySet<number>;
  readonly options: SelectContextOptions;
}

/** Marks the strings of what stands whole as shown, and returns the tokens of all that stands. */
function coverStanding(index: ReuseIndex, { whole, left, options }: StandingChunks): number {
  const { kept, reserved } = options;
  const { atoms, chunks } = index;
  let used = kept?.tokens ?? 0;
  for (const text of kept?.texts ?? []) cover(atoms, index.atomsIn(text));
  for (const at of left) {
    const chunk = chunks[at];
    const tokens = reserved?.get(at)?.tokens ?? chunk?.tokens ?? 0;
    if (whole.has(at)) used += tokens;
    // A shortened message shows nearly nothing of the whole.
    if (tokens < (chunk?.tokens ?? 0)) continue;
    for (const line of chunk?.lines ?? []) cover(atoms, line.atoms);
  }
  return used;
}

/** What is asked for in words; undefined where nothing is. */
function queryOf({ chunks }: ReuseIndex, { query }: SelectContextOptions): string | undefined {
  const newest = chunks.at(-1);
  const said = query ?? (newest?.type === "human" ? linesText(newest, 0, newest.lines.length) : "");
  return said.trim() === "" ? undefined : said;
}

/** Of the strings that are shown, the sum of the probabilities that the next call uses them. */
function shownMass({ open, probability, end }: AtomTable): number {
  let sum = 0;
  for (let number = 0; number < end; number++) sum += (probability[number] ?? 0) - (open[number] ?? 0);
  return sum;
}

interface FindOptions {
  readonly query: string;
  readonly budget: number;
  readonly found: Set<Block>;
  /** Nothing but turns of a conversation: each is read with the two before and behind it. */
  readonly chat: boolean;
  /** What the context shows already. */
  readonly shown: string;
  readonly costs: ExcerptCosts;
}

/** Adds the best blocks for the words of the query, and returns their tokens. Whole turns in a chat. */
function findBlocks(
  chunks: readonly IndexedChunk[],
  { query, budget, found, chat, shown, costs }: FindOptions,
): number {
  const units = chat
    ? chunks.map((chunk) => ({ value: chunk.blocks, text: chunk.blocks.map(blockText).join("\n") }))
    : chunks.flatMap(({ blocks }) => blocks.map((block) => ({ value: [block], text: blockText(block) })));
  const scores = rankUnits(units, { query, neighbours: chat ? chatNeighbours : [0.5] });
  const order = units
    .map((_, at) => at)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
  const opened = new Set<IndexedChunk>();
  let used = 0;
  for (const at of order) {
    const { value: blocks, text } = units[at] ?? { value: [], text: "" };
    const [first] = blocks;
    if ((scores[at] ?? 0) <= 0 || first === undefined) break;
    if (shown.includes(text)) continue;
    const marks = opened.has(first.chunk) ? costs.gap : costs.header;
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, marks);
    if (used + tokens > budget) continue;
    used += tokens;
    opened.add(first.chunk);
    for (const block of blocks) found.add(block);
  }
  return used;
}

/** Returns blocks by chunk, in order. Pure. */
export function byChunk(blocks: readonly Block[]): ReadonlyMap<number, readonly Block[]> {
  const grouped = new Map<number, Block[]>();
  for (const block of blocks.toSorted((a, b) => a.chunk.index - b.chunk.index || a.start - b.start)) {
    const list = grouped.get(block.chunk.index) ?? [];
    grouped.set(block.chunk.index, list);
    list.push(block);
  }
  return grouped;
}

import type { AtomTable } from "./atom-table.js";
import { chooseBlocks, cover, fillNewest } from "./choose-blocks.js";
import { blockText, linesText, type Block, type ExcerptCosts, type IndexedChunk } from "./indexed-chunk.js";
import { chatNeighbours, rankUnits } from "./rank-blocks.js";
import type { ReuseIndex } from "./reuse-index.js";
import type { ReuseWeights } from "./reuse-weights.js";
import { scoreAtoms } from "./score-atoms.js";
import { wholeChunks, type ReservedChunk, type WholeReason } from "./whole-chunks.js";

export interface SelectContextOptions {
  /** Maximum tokens of the context, in the unit of the index. Only reserved chunks may exceed it. */
  readonly budget: number;
  /** Number of newest chunks that stay whole. @default 2 */
  readonly wholeSteps?: number;
  /** Share of the budget up to which recent chunks stay whole. @default 0.25 */
  readonly recentShare?: number;
  /** Maximum share of the budget for user messages besides the first and the newest. @default 0.1 */
  readonly userShare?: number;
  /** Maximum share of the budget for chunks that stay whole. @default 0.85 */
  readonly wholeShare?: number;
  /** Search query for a share of the excerpts. @default the newest message, when it is a user message */
  readonly query?: string;
  /** Maximum share of the excerpts that the query selects, in a thread with calls. @default 0.25 */
  readonly queryShare?: number;
  /** False for a chunk whose messages can no longer be sent. @default true for every chunk */
  readonly canBeWhole?: (chunk: IndexedChunk) => boolean;
  /** Chunks that are always sent, by index. @default none */
  readonly reserved?: ReadonlyMap<number, ReservedChunk>;
  /** @default reuseWeights */
  readonly weights?: ReuseWeights;
  /** Unchanged prefix of the context; the selection covers the rest. @default none */
  readonly kept?: KeptContext;
}

/** An unchanged prefix of a context, which covers the chunks before `end`. */
export interface KeptContext {
  /** The prefix covers or omits the chunks before this index. */
  readonly end: number;
  /** Chunks that the prefix contains whole. */
  readonly whole: ReadonlySet<number>;
  /** Other texts in the prefix: lines of any chunks. */
  readonly texts: readonly string[];
  readonly tokens: number;
}

/** The context of the next step. */
export interface ContextSelection {
  /** Chunks that stay whole, with the reason. */
  readonly whole: ReadonlyMap<number, WholeReason>;
  /** Blocks of other chunks, by chunk, in order. */
  readonly excerpts: ReadonlyMap<number, readonly Block[]>;
  /** The same blocks by rank: those of the query first, then by probability per token, then what fills the room, newest first. */
  readonly order: readonly Block[];
  /** Chunks of the excerpts that the query selected. */
  readonly found: ReadonlySet<number>;
  /** Tokens of the selection, including the kept prefix. */
  readonly tokens: number;
  /** Expected number of the next call's strings that it shows. */
  readonly mass: number;
}

/**
 * Selects the chunks that stay whole and the blocks of other chunks to show: reuse coverage under a hard budget.
 *
 * Takes the chunks that must stay whole, then recent chunks, then the blocks with the most probability per token. After a
 * user message, a share of the rest goes to blocks that match its words; in a thread without calls, all of it. Room that is
 * left goes to the newest chunks.
 */
export function selectContext(index: ReuseIndex, options: SelectContextOptions): ContextSelection {
  scoreAtoms(index, options.weights);
  return selectScored(index, options);
}

/** Like `selectContext`, without scoring: requires current probabilities. */
export function selectScored(index: ReuseIndex, options: SelectContextOptions): ContextSelection {
  const { budget, kept } = options;
  const { atoms } = index;
  atoms.open.set(atoms.probability);
  const whole = wholeChunks(index, options);
  const left = new Set([...whole.keys(), ...(kept?.whole ?? [])]);
  let used = coverWhole(index, { whole, left, options });
  const rest = index.live.filter((chunk) => !left.has(chunk.index));
  const found = new Set<Block>();
  const query = queryOf(index, options);
  const shown = kept?.texts.join("\n") ?? "";
  if (query !== undefined) {
    const chat = !rest.some(({ calls }) => calls);
    const share = chat ? 1 : (options.queryShare ?? 0.25);
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
  const chosen = new Set([...found, ...blocks]);
  const leftOver = budget - used - tokens;
  const filled = fillNewest(rest, { budget: leftOver, chosen, shown, costs: index.costs });
  const order = [...chosen, ...filled.blocks];
  return {
    whole,
    excerpts: byChunk(order),
    order,
    found: new Set([...found].map(({ chunk }) => chunk.index)),
    tokens: used + tokens + filled.tokens,
    mass: shownMass(atoms),
  };
}

interface WholeSelection {
  readonly whole: ReadonlyMap<number, WholeReason>;
  /** Whole chunks, including those of the kept prefix. */
  readonly left: ReadonlySet<number>;
  readonly options: SelectContextOptions;
}

/** Marks the strings of whole chunks and of the kept prefix as shown, and returns their tokens. */
function coverWhole(index: ReuseIndex, { whole, left, options }: WholeSelection): number {
  const { kept, reserved } = options;
  const { atoms, chunks } = index;
  let used = kept?.tokens ?? 0;
  for (const text of kept?.texts ?? []) cover(atoms, index.atomsIn(text));
  for (const at of left) {
    const chunk = chunks[at];
    const tokens = reserved?.get(at)?.tokens ?? chunk?.tokens ?? 0;
    if (whole.has(at)) used += tokens;
    // A shortened message shows almost nothing of its content.
    if (tokens < (chunk?.tokens ?? 0)) continue;
    for (const line of chunk?.lines ?? []) cover(atoms, line.atoms);
  }
  return used;
}

/** Returns the query text, or undefined. */
function queryOf({ chunks }: ReuseIndex, { query }: SelectContextOptions): string | undefined {
  const newest = chunks.at(-1);
  const said = query ?? (newest?.type === "human" ? linesText(newest, 0, newest.lines.length) : "");
  return said.trim() === "" ? undefined : said;
}

/** Returns the total probability of the shown strings. */
function shownMass({ open, probability, end }: AtomTable): number {
  let sum = 0;
  for (let number = 0; number < end; number++) sum += (probability[number] ?? 0) - (open[number] ?? 0);
  return sum;
}

interface FindOptions {
  readonly query: string;
  readonly budget: number;
  readonly found: Set<Block>;
  /** True for a thread without calls: selects whole turns, scored with two neighbours on either side. */
  readonly chat: boolean;
  /** Text that the context already shows. */
  readonly shown: string;
  readonly costs: ExcerptCosts;
}

/** Adds the best blocks for the query, or whole turns in a chat, and returns their tokens. */
function findBlocks(
  chunks: readonly IndexedChunk[],
  { query, budget, found, chat, shown, costs }: FindOptions,
): number {
  const units = chat
    ? chunks.map((chunk) => ({
        value: chunk.blocks,
        text: chunk.blocks.map(blockText).join("\n"),
        speaker: chunk.type,
      }))
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

/** Groups blocks by chunk, in order. Pure. */
export function byChunk(blocks: readonly Block[]): ReadonlyMap<number, readonly Block[]> {
  const grouped = new Map<number, Block[]>();
  for (const block of blocks.toSorted((a, b) => a.chunk.index - b.chunk.index || a.start - b.start)) {
    const list = grouped.get(block.chunk.index) ?? [];
    grouped.set(block.chunk.index, list);
    list.push(block);
  }
  return grouped;
}

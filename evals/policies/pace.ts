import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  hashVector,
  paceDefaults,
  paceQuery,
  selectRepresentations,
  type PaceLevel,
  type PaceRating,
} from "@palimpsest/context/selection";
import type { Chunk } from "../data/chunks.js";
import { charsOverFour } from "../data/text-of.js";
import { ChunkLog } from "./chunk-log.js";
import type { Policy } from "./policy.js";

export interface PacePolicyOptions {
  readonly name?: string;
  /** @default 0.5 */
  readonly pressureGain?: number;
  /** @default 0.3 */
  readonly temperature?: number;
  /** Levels that a chunk may have; others become the next lower one of these. @default all four */
  readonly levels?: readonly PaceLevel[];
  /** Chunks that are opened whole at each step, the most similar first: what an agent with `glimpse` may do. @default 0 */
  readonly glimpses?: number;
  /** Encodes steps and queries. @default hashed words */
  readonly encoder?: EmbeddingsInterface;
}

/** Steps of a task, T_max. */
const maxSteps = 100;
/** Characters of the mechanical representations. */
const cut = { whole: 1_600, head: 1_100, tail: 500, brief: 260, placeholder: 40 };
const lower = ["full", "detailed", "brief", "placeholder"] as const;

/**
 * Returns PACE as published, with mechanical representations and, by default, hashed words for the encoder. It has no hard budget: the
 * budget enters by pressure alone.
 */
export function pace(options: PacePolicyOptions = {}): Policy {
  const { name = "PACE as published", encoder } = options;
  const encode = async (text: string) => encoder?.embedQuery(text) ?? hashVector(text);
  return {
    name,
    start({ budget }) {
      const log = new ChunkLog();
      const stored: PaceChunk[] = [];
      let tokens = 0;
      return {
        async context(added) {
          for (const chunk of log.add(added)) stored.push(await paceChunk(chunk, encode));
          const base = new Set(log.base);
          const past = log.chunks.filter((chunk) => !base.has(chunk));
          const recent = log.chunks.slice(-paceDefaults.recent).map(({ text }) => text);
          const query = paceQuery([log.firstUser?.text ?? "", ...recent], paceDefaults.encodedCharacters);
          const keys = past.map(({ index }) => stored[index]?.key ?? []);
          const facts = { ...options, step: log.chunks.length, maxSteps, tokens, budget };
          const ratings = selectRepresentations(await encode(query), keys, facts);
          const levels = glimpsed(ratings, options);
          const shown = render(
            log.chunks,
            new Map(past.map((chunk, at) => [chunk.index, levels[at] ?? "placeholder"])),
            stored,
          );
          tokens = charsOverFour(shown);
          return shown;
        },
      };
    },
  };
}

function glimpsed(
  ratings: readonly PaceRating[],
  { levels = lower, glimpses = 0 }: PacePolicyOptions,
): readonly PaceLevel[] {
  const order = ratings
    .map((_, at) => at)
    .sort((a, b) => (ratings[b]?.similarity ?? 0) - (ratings[a]?.similarity ?? 0));
  const opened = new Set(order.slice(0, glimpses));
  return ratings.map(({ level }, at) => {
    if (opened.has(at)) return "full";
    return lower.slice(lower.indexOf(level)).find((one) => levels.includes(one)) ?? "placeholder";
  });
}

/** A past step with its mechanical representations and its key. */
type PaceChunk = Readonly<Record<PaceLevel, string>> & { readonly key: readonly number[] };

async function paceChunk(
  { index, text }: Chunk,
  encode: (text: string) => Promise<readonly number[]>,
): Promise<PaceChunk> {
  return {
    full: text,
    detailed: text.length < cut.whole ? text : `${text.slice(0, cut.head)}\n${text.slice(-cut.tail)}`,
    brief: text.slice(0, cut.brief),
    placeholder: `[${index}] ${text.slice(0, cut.placeholder)}`,
    key: await encode(text.slice(0, paceDefaults.encodedCharacters)),
  };
}

function render(
  chunks: readonly Chunk[],
  levels: ReadonlyMap<number, PaceLevel>,
  stored: readonly PaceChunk[],
): readonly BaseMessage[] {
  return chunks.flatMap(({ index, messages }) => {
    const level = levels.get(index);
    const chunk = stored[index];
    if (level === undefined || level === "full" || chunk === undefined) return messages;
    return [new HumanMessage(chunk[level])];
  });
}

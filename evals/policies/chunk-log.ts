import type { BaseMessage } from "@langchain/core/messages";
import { chunksOf, type Chunk } from "../data/chunks.js";

/** The chunks of a thread as it grows. */
export class ChunkLog {
  readonly chunks: Chunk[] = [];
  #users: Chunk[] = [];

  /** Adds whole chunks and returns them. */
  add(messages: readonly BaseMessage[]): readonly Chunk[] {
    const added = chunksOf(messages, this.chunks.length);
    this.chunks.push(...added);
    this.#users.push(...added.filter(({ isUser }) => isUser));
    return added;
  }

  get firstUser(): Chunk | undefined {
    return this.#users.at(0);
  }

  /** The part that every budgeted policy keeps: the last two chunks, the first and the latest user message. */
  get base(): readonly Chunk[] {
    const { chunks } = this;
    const found = [this.#users.at(0), this.#users.at(-1), chunks.at(-2), chunks.at(-1)];
    return [...new Set(found.filter((chunk) => chunk !== undefined))];
  }
}

import { digest } from "../prefix-binding.js";
import { isCompaction, turnsOf, type Block, type MessagesRequest } from "./wire.js";

/** A compaction that the server made. */
interface Compaction {
  readonly form: "on-demand" | "threshold";
  readonly block: Block;
  /** Chain of the content that it covers. */
  readonly chain: string;
}

/** Where a request continues after a compaction block. */
export interface Resumed {
  /** Index of the turn with the block, and of the block in it. */
  readonly turn: number;
  readonly block: number;
  /** The kept turns' reasoning stays valid after an on-demand block; with the other form, nothing before it counts. */
  readonly chain: string;
}

/**
 * Makes compaction blocks and checks those that come back.
 *
 * An on-demand block is signed and must come back with all its fields, first, alone, with no system message after it.
 * A threshold block may stand anywhere and may have lost its opaque fields, but its text must be the server's.
 */
export class Compactions {
  readonly #made = new Map<string, Compaction>();

  make(form: Compaction["form"], summary: string, chain: string): Block {
    const id = digest(`${form}${summary}${chain}`);
    const content = `${summary} [${id.slice(0, 8)}]`;
    const opaque = { encrypted_content: `encrypted-${id}` };
    const signed = form === "on-demand" ? { signature: `signed-${id}`, tool_changes: [] } : {};
    const block = { type: "compaction", content, ...opaque, ...signed };
    this.#made.set(content, { form, block, chain });
    return block;
  }

  /** Returns what is wrong with the compaction blocks of a request, or undefined. */
  fault(request: MessagesRequest): string | undefined {
    let onDemand = 0;
    for (const [turn, { blocks, paths }] of turnsOf(request.messages).entries()) {
      for (const [at, block] of blocks.entries()) {
        if (!isCompaction(block)) continue;
        const path = paths[at] ?? "";
        const made = this.#made.get(String(block["content"]));
        if (made === undefined) return `${path}: the compaction block was edited`;
        if (made.form === "threshold") continue;
        if (++onDemand > 1) return `${path}: at most one compaction block with content is allowed`;
        if (block["signature"] !== made.block["signature"]) {
          return `${path}: Invalid \`signature\` in \`compaction\` block`;
        }
        if (turn !== 0 || at !== 0) return `${path}: a compaction block must come first`;
        if (request.messages[1]?.role === "system") {
          return "messages.1: a system message cannot stand between a compaction block and the kept turns";
        }
      }
    }
    return undefined;
  }

  /** Returns the newest compaction block of a request; the server reads what follows it. */
  newest(request: MessagesRequest): Resumed | undefined {
    const turns = turnsOf(request.messages);
    for (let turn = turns.length - 1; turn >= 0; turn--) {
      const blocks = turns[turn]?.blocks ?? [];
      const at = blocks.findLastIndex(isCompaction);
      const block = blocks[at];
      if (block === undefined) continue;
      const made = this.#made.get(String(block["content"]));
      const chain = made?.form === "on-demand" ? made.chain : digest(String(block["content"]));
      return { turn, block: at, chain };
    }
    return undefined;
  }
}

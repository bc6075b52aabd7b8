import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { estimateTokens, foldOf, type Lane, type TokenCounter } from "@palimpsest/context";
import {
  findFold,
  heldOriginals,
  historyMarkdown,
  messagesOfRecord,
  requirePositive,
  once,
} from "@palimpsest/context/internal";
import type { ThreadFiles, VirtualFilesystem } from "@palimpsest/vfs";
import { z } from "zod";
import { readingLane } from "../lanes/reading-agent.js";
import { laneProvenance } from "../lanes/lane-provenance.js";
import { contextIn, scopeOf } from "../run/node-state.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { admitFolds } from "../run/sealed-folds.js";
import { fittingCharacters, roomOf, type ResultRoom } from "./result-room.js";
import { requireOptions } from "../options/require-options.js";
import { countAhead, countedAhead, type AnyTokenCounter } from "../options/counted-ahead.js";

export interface UnfoldToolOptions {
  /** The filesystem of the nodes. */
  readonly files: VirtualFilesystem;
  /** Characters of one page. @default 20,000, with `contextWindow` less than a quarter of it */
  readonly resultCharacters?: number;
  /** Tokens of the agent's context window. If known, a page takes at most half of the free tokens. @default unknown */
  readonly contextWindow?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: AnyTokenCounter;
  /** The lane of the agent, as in the options of its node. @default that of the `contextMiddleware` around the call, else none */
  readonly lane?: Lane;
  /** State key with the messages. @default "messages" */
  readonly inputKey?: string;
  /** State key of the context, as in the options of the node. @default `inputKey` */
  readonly outputKey?: string;
}

const schema = once(() => {
  const count = z.number().int().min(0);
  return z.object({
    fold: z
      .string()
      .trim()
      .min(1)
      .describe(
        "The path that stands in place of the original, such as /context/history/0001-….md, or a fold id.",
      ),
    offset: count.optional().describe("First character of the page."),
    limit: count.min(1).optional().describe("Characters of the page."),
  });
});

type Args = z.infer<ReturnType<typeof schema>>;

/** Characters of the smallest page, so that the agent can read even if the window is full. */
const minCharacters = 400;
/** Fewest characters per token, in dense text. */
const charactersPerToken = 2;

/**
 * Returns the `unfold` tool: a page of the originals that a fold replaces, in the context or inside other folds.
 *
 * It says how many tokens the whole would add and how to go on. It never throws at the agent. The context itself does not
 * change: to put originals back there, use `unfoldThread`.
 * @throws ContextError when an option cannot work.
 */
export function unfoldTool(options: UnfoldToolOptions): DynamicStructuredTool {
  requireOptions(options, "unfoldTool");
  const { files, inputKey = "messages", outputKey = inputKey } = options;
  const room = roomOf(options);
  requirePositive("resultCharacters", room.characters);
  if (options.contextWindow !== undefined) requirePositive("contextWindow", options.contextWindow);
  async function unfoldPage(args: Args, runtime: NodeConfig & { readonly state?: unknown }): Promise<string> {
    const state = (runtime.state ?? {}) as Readonly<Record<string, unknown>>;
    const messages = contextIn(state, { inputKey, outputKey });
    const threadId = threadIdOf(runtime, scopeOf(state, messages));
    if (threadId === undefined) return "Error: this run has no thread_id, so nothing was archived for it.";
    try {
      const admitted = await admitFolds(messages, files.seal(threadId));
      const lane = readingLane(options.lane);
      const own = files.thread(threadId, {}, { held: heldOriginals(admitted), lane });
      const text = await originals(args.fold, admitted, own);
      const tokenCounter = countedAhead(options.tokenCounter ?? estimateTokens);
      const shown = new HumanMessage(text);
      await countAhead(tokenCounter, [...messages, shown]);
      const shownPage = page(shown, args, { ...options, tokenCounter, room, messages });
      return [shownPage, ...(await laneProvenance(args.fold, lane, own))].join("\n");
    } catch (error) {
      const ids = messages.flatMap((message) => foldOf(message)?.path ?? []);
      const known = ids.length === 0 ? "The context has no fold." : `Folds: ${ids.slice(-10).join(", ")}.`;
      return `Error: ${error instanceof Error ? error.message : String(error)} ${known}`;
    }
  }
  return tool(unfoldPage as never, {
    name: "unfold",
    description:
      "Shows the originals that a stand-in of your context replaces (summaries, offloaded results, archived inputs), " +
      "page by page, and how many tokens all of it would take.",
    schema: schema(),
  }) as DynamicStructuredTool;
}

/**
 * Returns the originals of the fold with an id, which may be inside other folds, or the file at a path, which may be named only
 * in a text.
 */
async function originals(
  name: string,
  messages: readonly BaseMessage[],
  { readable }: ThreadFiles,
): Promise<string> {
  const read = async (path: string) => readable.readText(path);
  if (name.startsWith("/")) return read(name);
  const fold = (await findFold(messages, name, { read }))?.at(-1);
  if (fold === undefined) throw new Error(`No fold of this thread has the id ${name}: pass its path.`);
  if (fold.kind !== "input" || fold.record === undefined) return read(fold.path);
  return historyMarkdown(messagesOfRecord(await read(fold.record), fold.record));
}

interface Paging extends UnfoldToolOptions {
  readonly tokenCounter: TokenCounter;
  readonly room: ResultRoom;
  readonly messages: readonly BaseMessage[];
}

function page(shown: HumanMessage, { fold, offset = 0, limit }: Args, paging: Paging): string {
  const { tokenCounter, room, contextWindow, messages } = paging;
  const { text } = shown;
  const tokens = tokenCounter([shown]);
  const free = contextWindow === undefined ? Infinity : contextWindow - tokenCounter(messages);
  const fitting = Math.max(minCharacters, Math.floor((free / 2) * charactersPerToken));
  const asked = text.slice(offset, offset + Math.min(fitting, limit ?? Infinity));
  const size = `${text.length} characters, about ${tokens} tokens for the whole`;
  if (offset >= text.length) return `[${fold}: nothing from character ${offset} on; it has ${size}]`;
  const end = endOfPage(text, offset, fittingCharacters(asked, room));
  const more = end < text.length ? `; go on with offset ${end}` : "";
  return `[${fold}: characters ${offset}-${end} of ${size}${more}]\n${text.slice(offset, end)}`;
}

/** Returns the end of a page: at the end of a line if that costs less than half of the page, and never inside a character. */
function endOfPage(text: string, offset: number, maxCharacters: number): number {
  const end = Math.min(text.length, offset + maxCharacters);
  if (end === text.length) return end;
  const newline = text.lastIndexOf("\n", end - 1) + 1;
  if (newline > offset + maxCharacters / 2) return newline;
  const inside = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end - 1 > offset;
  return inside ? end - 1 : end;
}

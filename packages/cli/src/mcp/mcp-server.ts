import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { FileError } from "@palimpsest/vfs";
import { InspectorError } from "@palimpsest/inspector";
import { z } from "zod";
import { count, terminalText } from "../terminal-text.js";
import { excerpt } from "./excerpt.js";
import { shownText, type History } from "./history.js";
import { pageOf } from "./pages.js";

const thread = z.string().optional().describe("The id of a thread; may be left out if there is only one.");
/** Characters. The time of a search grows with them. */
const maxQuery = 10_000;

const page = z.number().int().min(1).default(1).describe("The page of a long answer.");

/** Returns a server whose tools read the history of threads. None of them writes. */
export function historyServer(history: History, version: string): McpServer {
  const server = new McpServer({ name: "palimpsest", version }, { instructions });
  addSearch(server, history);
  addRead(server, history);
  addLost(server, history);
  addUnfold(server, history);
  return server;
}

const instructions =
  "The history of agent threads, with everything that was compacted away. Begin with search_history; read_original shows a hit whole.";

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function addSearch(server: McpServer, history: History): void {
  server.registerTool(
    "search_history",
    {
      description:
        "Finds messages of a thread, or of all threads, also those that were compacted away: best first, with thread, message number and date.",
      inputSchema: z.object({
        query: z
          .string()
          .min(1)
          .max(maxQuery)
          .describe("What you look for; names, paths, numbers and dates help most."),
        thread: z.string().optional().describe("Search only this thread."),
        limit: z.number().int().min(1).max(20).default(5),
        page,
      }),
      annotations: readOnly,
    },
    async ({ query, thread: only, limit, page: at }) =>
      answer(at, async () => {
        const { passages, unread } = await history.search(query, { thread: only, limit });
        const missing =
          unread.length === 0
            ? ""
            : `Not searched, because they cannot be read: ${unread.map((id) => JSON.stringify(id)).join(", ")}.\n\n`;
        if (passages.length === 0)
          return `${missing}Nothing fits ${JSON.stringify(query)}. Try other words, such as a name, a path or a number.`;
        const share = Math.max(160, Math.floor(1_500 / passages.length));
        const hits = passages
          .map(({ thread: id, message, type, date, isInContext, text }, rank) => {
            const about = [type, date, isInContext ? "" : "compacted away"].filter((part) => part !== "");
            const where = `thread ${JSON.stringify(id)}, message ${message}, ${about.join(", ")}`;
            return `${rank + 1}. ${where}\n${excerpt(text, query, share)}`;
          })
          .join("\n\n");
        return `${missing}${hits}`;
      }),
  );
}

function addRead(server: McpServer, history: History): void {
  server.registerTool(
    "read_original",
    {
      description: "Shows a message of a thread word for word, whether it was compacted away or not.",
      inputSchema: z.object({
        message: z
          .union([z.number().int().min(1), z.string()])
          .describe("The number of the message, as search_history gives it, or its id."),
        thread,
        page,
      }),
      annotations: readOnly,
    },
    async ({ message: wanted, thread: id, page: at }) =>
      answer(at, async () => {
        const { messages } = await history.thread(id);
        const found = messages.find((one) => one.id === String(wanted)) ?? messages[Number(wanted) - 1];
        if (found === undefined)
          return `The thread has no message ${String(wanted)}: it has ${count(messages.length)}, counted from 1.`;
        return `Message ${messages.indexOf(found) + 1} of ${count(messages.length)}, ${found.getType()}\n${shownText(found)}`;
      }),
  );
}

function addLost(server: McpServer, history: History): void {
  server.registerTool(
    "what_was_lost",
    {
      description:
        "Says of each compaction of a thread which rules, errors, paths, commands and numbers are no longer in sight, and where they can be read.",
      inputSchema: z.object({ thread, page }),
      annotations: readOnly,
    },
    async ({ thread: id, page: at }) =>
      answer(at, async () => {
        const certificates = await history.certificates(id);
        if (certificates.length === 0)
          return "No compaction of this thread has a certificate: nothing is known to be out of sight.";
        return certificates.map((text) => text.replace(/\n## Kept\n[^]*?(?=\n## |$)/, "")).join("\n\n");
      }),
  );
}

function addUnfold(server: McpServer, history: History): void {
  server.registerTool(
    "unfold",
    {
      description:
        "Lists the folds of a thread; with the id or path of one, shows the messages that it replaced.",
      inputSchema: z.object({
        fold: z.string().optional().describe("The id or the path of a fold."),
        thread,
        page,
      }),
      annotations: readOnly,
    },
    async ({ fold: wanted, thread: id, page: at }) =>
      answer(at, async () => {
        const folds = (await history.folds(id)).map(({ fold }) => fold);
        if (folds.length === 0)
          return "Nothing in this thread is folded: its messages are in the context as they are.";
        const list = folds.map(
          ({ id: one, kind, covers, tokensBefore, path }) =>
            `${one}: ${kind} of ${count(covers.length)} messages, ${count(tokensBefore)} tokens, ${path}`,
        );
        if (wanted === undefined) return list.join("\n");
        const found = folds.find(({ id: one, path, record }) => [one, path, record].includes(wanted));
        if (found === undefined)
          return `The thread has no fold ${JSON.stringify(wanted)}. It has:\n${list.join("\n")}`;
        return history.file(id, found.path);
      }),
  );
}

/** Returns a page of the text. An error becomes text that says what to do next: a tool never throws at the agent. */
async function answer(at: number, read: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: pageOf(terminalText(await read()), at) }] };
  } catch (error) {
    const isKnown = error instanceof InspectorError || FileError.isInstance(error);
    const text = isKnown
      ? error.message
      : `The storage cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { content: [{ type: "text", text: pageOf(terminalText(text), 1) }], isError: true };
  }
}

import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A hit of `search_history`, as an agent reads it. */
export interface HistoryHit {
  readonly thread: string;
  readonly message: number;
  readonly text: string;
}

export interface HistoryClient {
  /** @param limit most hits; 3 if absent */
  readonly search: (query: string, thread?: string, limit?: number) => Promise<readonly HistoryHit[]>;
  readonly close: () => Promise<void>;
}

const main = fileURLToPath(new URL("main.js", import.meta.resolve("@palimpsest/cli")));

/** Starts `palimpsest mcp` in a process of its own, for the threads whose id begins with `scope`, and connects to it. */
export async function historyClient(storage: string, scope: string): Promise<HistoryClient> {
  const args = [main, "mcp", storage, "--scope", scope];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const client = new Client({ name: "evals", version: "0" });
  await client.connect(transport);
  return {
    async search(query, thread, limit = 3) {
      const given = { query, limit, ...(thread === undefined ? {} : { thread }) };
      const { content } = (await client.callTool({ name: "search_history", arguments: given })) as {
        content: readonly { readonly text: string }[];
      };
      return hitsIn(content.map(({ text }) => text).join("\n"));
    },
    close: async () => client.close(),
  };
}

/** Returns the hits of an answer: each begins with its rank, its thread and the number of its message. */
function hitsIn(answer: string): readonly HistoryHit[] {
  return answer.split(/\n\n(?=\d+\. thread ")|^(?=1\. thread ")/).flatMap((part) => {
    const found = /^\d+\. thread ("(?:[^"\\]|\\.)*"), message (\d+)[^\n]*\n([^]*)$/.exec(part);
    if (found === null) return [];
    const [, thread = '""', message, text = ""] = found;
    return [{ thread: JSON.parse(thread) as string, message: Number(message), text }];
  });
}

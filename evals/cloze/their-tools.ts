import { ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { messageText } from "@palimpsest/context/internal";
import type { Backend } from "@palimpsest/vfs";
import { createFilesystemMiddleware } from "deepagents";

import type { GrepHit, GrepTools } from "./grep-searcher.js";

/** Returns deepagents' own `grep`, which knows no expressions, and its `read_file`, as its agent would call them. */
export function theirTools(backend: Backend): GrepTools {
  const tools = (createFilesystemMiddleware({ backend }).tools ?? []) as readonly StructuredToolInterface[];
  let characters = 0;
  async function call(name: string, args: Record<string, unknown>): Promise<string> {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`deepagents has no ${name}`);
    const answer: unknown = await tool.invoke({ type: "tool_call", id: "call_1", name, args });
    if (!ToolMessage.isInstance(answer)) throw new Error(`${name} returned no tool message`);
    const text = messageText(answer);
    characters += text.length;
    return text;
  }
  async function grep(pattern: string): Promise<readonly GrepHit[]> {
    return hitsIn(await call("grep", { pattern }));
  }
  return {
    tokens: () => characters / 4,
    // The rarest word first: without expressions, each further word is another search.
    async grep(words) {
      for (const word of words) {
        const hits = await grep(word);
        if (hits.length > 0) return hits;
      }
      return [];
    },
    read: (path, from, lines) => call("read_file", { file_path: path, offset: from - 1, limit: lines }),
  };
}

/** The answer has each file's path on a line, and below it its lines, indented, with their numbers. */
function hitsIn(answer: string): readonly GrepHit[] {
  const hits: GrepHit[] = [];
  let path = "";
  for (const row of answer.split("\n")) {
    path = /^(\/.*):$/.exec(row)?.[1] ?? path;
    const [, line, text = ""] = /^ {2}(\d+): (.*)$/.exec(row) ?? [];
    if (line !== undefined) hits.push({ path, line: Number(line), text });
  }
  return hits;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { fileTools, foldNode } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";
import { SummaryWriter } from "./summary-writer.js";

const config = { configurable: { thread_id: "horizon" } };

/**
 * The real fold node (AgentFold) with its defaults and its archive in a directory; searches with the agent's own `grep`. The
 * session holds no directives, so that every block is an automatic one.
 */
export const ourFolding: HorizonSystem = {
  name: "Palimpsest folding",
  start({ window }) {
    const root = mkdtempSync(join(tmpdir(), "horizon-"));
    const files = VirtualFilesystem.fromDirectory(root);
    const node = foldNode({ files, model: new SummaryWriter(window), contextWindow: window });
    const grep = fileTools({ files }).find(({ name }) => name === "grep");
    let messages: readonly BaseMessage[] = [];
    let compaction: Readonly<Record<string, unknown>> = {};
    return {
      async step(added) {
        const next = [...messages, ...added];
        const update = await node({ messages: next, compaction }, config);
        const after = update["messages"];
        messages = Overwrite.isInstance<readonly BaseMessage[]>(after) ? after.value : next;
        compaction = { ...compaction, ...(update["compaction"] as object | undefined) };
        return charsOverFour(messages);
      },
      prompt: () => messages.map(textOf).join("\n"),
      search: async (name) => String(await grep?.invoke({ pattern: name, path: "/context/" }, config)),
      storedBytes: () => directoryBytes(root),
      close: () => rmSync(root, { recursive: true, force: true }),
    };
  },
};

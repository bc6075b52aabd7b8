import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { compactionNode, fileTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";
import { SummaryWriter } from "./summary-writer.js";

const config = { configurable: { thread_id: "horizon" } };

/** The real compaction node with its defaults and its archive in a directory; searches with the agent's own `grep`. */
export const ourLadder: HorizonSystem = {
  name: "Palimpsest ladder",
  start({ window }) {
    const root = mkdtempSync(join(tmpdir(), "horizon-"));
    const files = VirtualFilesystem.fromDirectory(root);
    const node = compactionNode({ files, model: new SummaryWriter(window), contextWindow: window });
    const grep = fileTools({ files }).find(({ name }) => name === "grep");
    let state: Record<string, unknown> = { messages: [] };
    const messages = () => state["messages"] as readonly BaseMessage[];
    return {
      async step(added) {
        state = { ...state, messages: [...messages(), ...added] };
        const update = await node(state, config);
        const after = update["messages"];
        const next = Overwrite.isInstance<readonly BaseMessage[]>(after) ? after.value : messages();
        state = { ...state, ...update, messages: next };
        return charsOverFour(next);
      },
      prompt: () => messages().map(textOf).join("\n"),
      search: async (name) => String(await grep?.invoke({ pattern: name, path: "/context/" }, config)),
      storedBytes: () => directoryBytes(root),
      close: () => rmSync(root, { recursive: true, force: true }),
    };
  },
};

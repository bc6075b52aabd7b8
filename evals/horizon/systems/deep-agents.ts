import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";
import { SummaryWriter } from "./summary-writer.js";

/** deepagents' summarization as it comes, with its history in a directory; searches with its backend's `grep`. */
export const deepAgents: HorizonSystem = {
  name: "deepagents",
  start({ window }) {
    const rootDir = mkdtempSync(join(tmpdir(), "horizon-"));
    const backend = new FilesystemBackend({ rootDir, virtualMode: true });
    const model = new SummaryWriter(window);
    const { wrapModelCall } = createSummarizationMiddleware({ model, backend });
    if (wrapModelCall === undefined) throw new Error("deepagents' summarization has no wrapModelCall");
    const messages: BaseMessage[] = [];
    let state: Record<string, unknown> = { messages };
    let sent: readonly BaseMessage[] = [];
    const handler = async (request: { readonly messages: readonly BaseMessage[] }) => {
      sent = request.messages;
      return new AIMessage("done");
    };
    return {
      async step(added) {
        messages.push(...added);
        const request = { model, messages, state, tools: [], runtime: {} };
        const outcome: unknown = await wrapModelCall(request as never, handler as never);
        if (outcome instanceof Command) state = { ...state, ...(outcome.update as Record<string, unknown>) };
        return charsOverFour(sent);
      },
      prompt: () => sent.map(textOf).join("\n"),
      search: async (name) => {
        const { matches = [] } = await backend.grep(name, "/");
        return matches.map(({ text }) => text).join("\n");
      },
      storedBytes: () => directoryBytes(rootDir),
      close: () => rmSync(rootDir, { recursive: true, force: true }),
    };
  },
};

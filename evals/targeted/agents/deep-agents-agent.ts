import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { instructions } from "./instructions.js";
import type { AgentOptions, TargetedAgent, TargetedSystem } from "./agent.js";

/** The state key of deepagents that a summary changes. */
const event = "_summarizationEvent";

/** `createDeepAgent` over a directory, in which its history can be found again; over its default storage it cannot. */
export const deepAgentsAgent: TargetedSystem = {
  name: "deepagents",
  vocabulary: {
    pathArgument: "file_path",
    grep: (pattern) => ({ pattern, path: "/" }),
    hasCompactTool: false,
  },
  async start({ task, model, log }: AgentOptions): Promise<TargetedAgent> {
    const rootDir = mkdtempSync(join(tmpdir(), "targeted-"));
    for (const [path, text] of Object.entries(task.files ?? {})) {
      mkdirSync(dirname(join(rootDir, path)), { recursive: true });
      writeFileSync(join(rootDir, path), text);
    }
    const backend = new FilesystemBackend({ rootDir, virtualMode: true });
    const { trigger, promptTokens = 0 } = task;
    const agent = createDeepAgent({
      model,
      tools: task.tools?.() ?? [],
      backend,
      ...(promptTokens === 0 ? {} : { systemPrompt: instructions(promptTokens) }),
      checkpointer: new MemorySaver(),
      // A middleware of the same name takes the place of the built-in one, whose thresholds cannot be set.
      middleware:
        trigger === undefined
          ? []
          : [
              createSummarizationMiddleware({
                model,
                backend,
                trigger: { type: "fraction", value: trigger },
                keep: { type: "fraction", value: Math.min(0.1, trigger / 4) },
              }),
            ],
    });
    let cutoff: unknown;
    return {
      async say(messages, signal) {
        const config = {
          configurable: { thread_id: "targeted" },
          recursionLimit: 200,
          callbacks: [log],
          streamMode: "values" as const,
          ...(signal === undefined ? {} : { signal }),
        };
        let last: readonly BaseMessage[] = [];
        for await (const state of await agent.stream({ messages: [...messages] }, config)) {
          const values = state as {
            readonly messages: readonly BaseMessage[];
            readonly [event]?: { readonly cutoffIndex: number };
          };
          last = values.messages;
          const { cutoffIndex } = values[event] ?? {};
          if (cutoffIndex !== undefined && cutoffIndex !== cutoff) log.compacted();
          cutoff = cutoffIndex;
        }
        return last.findLast((message) => AIMessage.isInstance(message))?.text ?? "";
      },
      close: () => rmSync(rootDir, { recursive: true, force: true }),
    };
  },
};

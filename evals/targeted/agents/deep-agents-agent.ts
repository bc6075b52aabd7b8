import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import { answerOf, configOf, instructions, type TargetedSystem } from "./agent.js";

/** A state of its thread, with the key that a summary changes. */
interface State {
  readonly messages: readonly BaseMessage[];
  readonly _summarizationEvent?: { readonly cutoffIndex: number };
}

/** `createDeepAgent` over a directory, in which its history can be found again; over its default storage it cannot. */
export const deepAgentsAgent: TargetedSystem = {
  name: "deepagents",
  vocabulary: {
    pathArgument: "file_path",
    grep: (pattern) => ({ pattern, path: "/" }),
    hasCompactTool: false,
  },
  async start({ task, model, log }) {
    const rootDir = mkdtempSync(join(tmpdir(), "targeted-"));
    for (const [path, text] of Object.entries(task.files ?? {})) {
      mkdirSync(dirname(join(rootDir, path)), { recursive: true });
      writeFileSync(join(rootDir, path), text);
    }
    const backend = new FilesystemBackend({ rootDir, virtualMode: true });
    const { trigger, promptTokens = 0 } = task;
    // A middleware of the same name takes the place of the built-in one, whose thresholds cannot be set.
    const summarizing = (value: number) =>
      createSummarizationMiddleware({
        model,
        backend,
        trigger: { type: "fraction", value },
        keep: { type: "fraction", value: Math.min(0.1, value / 4) },
      });
    const agent = createDeepAgent({
      model,
      tools: task.tools?.() ?? [],
      backend,
      ...(promptTokens === 0 ? {} : { systemPrompt: instructions(promptTokens) }),
      checkpointer: new MemorySaver(),
      middleware: trigger === undefined ? [] : [summarizing(trigger)],
    });
    let cutoff: number | undefined;
    return {
      async say(messages) {
        const config = { ...configOf(log), streamMode: "values" as const };
        let last: readonly BaseMessage[] = [];
        for await (const state of await agent.stream({ messages: [...messages] }, config)) {
          const { messages: list, _summarizationEvent: event } = state as State;
          last = list;
          if (event !== undefined && event.cutoffIndex !== cutoff) log.compactions++;
          cutoff = event?.cutoffIndex;
        }
        return answerOf(last);
      },
      close: () => rmSync(rootDir, { recursive: true, force: true }),
    };
  },
};

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import type { ContextEvent } from "../context-event.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { withCompaction } from "../nodes/with-compaction.js";
import type { ContextOptions } from "../options/context-options.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { previewThread } from "../threads/preview-thread.js";

const messages = history({ steps: 20, result: (step) => filler(400, step) });

type Settings = ContextOptions["settings"];

const byContext: Settings = (config) => ({ contextWindow: config?.context?.window });
const byConfigurable: Settings = (config) => ({
  trigger: { tokens: config?.configurable?.["trigger"] as number },
  keep: { tokens: 1_000 },
});

interface Host {
  invoke(input: object, config: object): Promise<{ readonly messages: readonly BaseMessage[] }>;
}

const graphOf = (options: ContextOptions, model: ScriptedModel) => {
  const node = async (state: { readonly messages: BaseMessage[] }) => ({
    messages: [await model.invoke(state.messages)],
  });
  return { node, graph: new StateGraph(MessagesAnnotation), options };
};

const hosts = {
  compactionNode(options, model) {
    const { node, graph } = graphOf(options, model);
    return graph
      .addNode("compact", compactionNode(options))
      .addNode("model", node)
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .compile({ checkpointer: new MemorySaver() });
  },
  withCompaction(options, model) {
    const { node, graph } = graphOf(options, model);
    return graph
      .addNode("model", withCompaction(node, options))
      .addEdge(START, "model")
      .compile({ checkpointer: new MemorySaver() });
  },
  contextMiddleware(options, model) {
    return createAgent({
      model,
      middleware: [contextMiddleware(options)],
      checkpointer: new MemorySaver(),
    }) as unknown as Host;
  },
} as const satisfies Record<string, (options: ContextOptions, model: ScriptedModel) => Host>;

/** Plays one call in a thread of a run, and returns the tokens that the model was sent, and the failures. */
async function sent(host: keyof typeof hosts, run: object, settings: ContextOptions["settings"]) {
  const model = new ScriptedModel(() => new AIMessage("So it is."));
  const failures: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => event.type === "context.fail" && failures.push(event);
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: 100_000, summaryModel: "none" as const, onEvent };
  const graph = hosts[host]({ ...options, ...(settings && { settings }) }, model);
  await graph.invoke({ messages }, { configurable: { thread_id: "t" }, ...run });
  return { tokens: estimateTokens(model.prompts[0] ?? []), failures };
}

describe.each(Object.keys(hosts) as (keyof typeof hosts)[])("%s", (host) => {
  it("compacts by the window, the trigger and the keep that a run passes as context or configurable", async () => {
    const whole = (await sent(host, {}, undefined)).tokens;
    expect(whole).toBeGreaterThan(8_000);
    const small = { context: { window: 4_000 } };
    expect((await sent(host, small, byContext)).tokens).toBeLessThan(4_000);
    expect((await sent(host, {}, byContext)).tokens).toBe(whole);
    const configurable = { thread_id: "t", trigger: 6_000 };
    expect((await sent(host, { configurable }, byConfigurable)).tokens).toBeLessThan(6_000);
  });

  it.each<[string, ContextOptions["settings"]]>([
    [
      "throw",
      () => {
        throw new Error("no user");
      },
    ],
    ["are misspelt", () => ({ window: 4_000 }) as never],
    ["are impossible", () => ({ contextWindow: 128 })],
  ])("counts its own options and says so where the settings %s", async (_, settings) => {
    const { tokens, failures } = await sent(host, {}, settings);
    expect(tokens).toBe((await sent(host, {}, undefined)).tokens);
    expect(failures).toMatchObject([{ rung: "settings", next: "options" }]);
  });
});

it("a condition routes by the settings of its run", () => {
  const route = compactionCondition({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 100_000,
    settings: byContext,
  });
  expect(route({ messages }, { context: { window: 4_000 } })).toBe("compact");
  expect(route({ messages }, { context: {} })).toBe("model");
});

it("a preview counts with the settings of its run", async () => {
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000 };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", () => ({}))
    .addEdge(START, "model")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "t", trigger: 4_000 } };
  await graph.invoke({ messages }, config);
  expect(await previewThread(graph, config, { ...options, settings: byConfigurable })).toMatchObject({
    due: "trigger",
    triggerTokens: 4_000,
  });
  expect((await previewThread(graph, config, options)).due).toBeUndefined();
});

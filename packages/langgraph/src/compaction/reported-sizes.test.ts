import { AIMessage, HumanMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { CompactionState } from "../run/context-state.js";
import { filler } from "../testing/history.js";

const contextWindow = 8_000;

/** A reply of a thread whose client, or proxy, reports this input. */
function reply(turn: number, input: unknown): AIMessage {
  const usage_metadata = { input_tokens: input, output_tokens: 3, total_tokens: 9 };
  const content = `Page ${turn}. ${filler(700, turn)}`;
  return new AIMessage({ id: `a${turn}`, content, usage_metadata } as unknown as AIMessageFields);
}

interface Sent {
  /** Prompts over the window of which no event told. */
  readonly untold: number;
  readonly compactions: number;
  /** How often a report was called false. */
  readonly disputed: number;
}

async function send(input: unknown, channel: CompactionState = {}): Promise<Sent> {
  const events: ContextEvent[] = [];
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow,
    summaryModel: "none",
    onEvent: (event) => events.push(event),
  });
  let messages: readonly BaseMessage[] = [];
  let compaction = channel;
  let untold = 0;
  for (let turn = 0; turn < 24; turn++) {
    messages = [...messages, new HumanMessage({ id: `h${turn}`, content: `Read page ${turn}.` })];
    // A client sends its channel with every input.
    const state = { messages, compaction: { ...compaction, ...channel }, files: {} };
    const update = await node(state, { configurable: { thread_id: "t" } });
    if (Overwrite.isInstance<BaseMessage[]>(update.messages)) messages = update.messages.value;
    compaction = { ...compaction, ...(update.compaction as CompactionState | undefined) };
    if (estimateTokens(messages) > contextWindow && compaction.overflow === undefined) untold += 1;
    messages = [...messages, reply(turn, input)];
  }
  const disputed = events.filter((event) => event.type === "context.fail" && event.rung === "usage");
  const compactions = events.filter(({ type }) => type === "context.compaction");
  return { untold, compactions: compactions.length, disputed: disputed.length };
}

describe("a size that cannot be true hides no prompt over the window and stops no compaction", () => {
  it.each([5, 1e12])("in a report of %s tokens, which is told of once", async (input) => {
    const { untold, compactions, disputed } = await send(input);
    expect({ untold, disputed }).toEqual({ untold: 0, disputed: 1 });
    expect(compactions).toBeGreaterThan(1);
  });

  it.each(["5", -1, Number.NaN, null, {}])("in a report of %j, which is none", async (input) => {
    const { untold, compactions } = await send(input);
    expect(untold).toBe(0);
    expect(compactions).toBeGreaterThan(1);
  });

  it.each([{ tokenRatio: 0.5 }, { overheadTokens: 1e12 }])("in the channel: %j", async (channel) => {
    const { untold, compactions } = await send(undefined, channel);
    expect(untold).toBe(0);
    expect(compactions).toBeGreaterThan(1);
  });
});

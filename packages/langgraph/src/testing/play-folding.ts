import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import type { ContextEvent } from "../context-event.js";
import { foldNode } from "../folding/fold-node.js";
import type { FoldOptions } from "../folding/fold-options.js";
import { unfolded } from "./storage.js";

export interface PlayOptions {
  readonly steps: number;
  /** Returns the text of the AI message of a step, besides its call. */
  readonly say?: (step: number) => string;
  /** Returns the arguments of a `fold_context` call at a step. */
  readonly call?: (step: number) => Record<string, unknown> | undefined;
  readonly result?: (step: number) => string;
  /** Returns the call of a step. @default `open` of a page */
  readonly tool?: (step: number) => { readonly name: string; readonly args: Record<string, unknown> };
  /** Returns what the host makes of a new message. @default the message */
  readonly change?: (message: BaseMessage) => BaseMessage;
  /** Returns the user message after a step; undefined for none. */
  readonly user?: (step: number) => string | undefined;
  readonly options?: Partial<FoldOptions>;
  readonly files?: VirtualFilesystem;
}

/** Runs an agent with one call a step through the fold node, and returns the context after the last step. */
export async function playFolding(play: PlayOptions) {
  const { steps, result = resultOf, files = VirtualFilesystem.inMemory() } = play;
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const node = foldNode({ contextWindow: 64_000, ...play.options, files, onEvent });
  const config = { configurable: { thread_id: "t" } };
  const first = new HumanMessage({ id: "question", content: "Find every value." });
  const thread: BaseMessage[] = [first];
  const prompts: (readonly BaseMessage[])[] = [];
  let state: Record<string, unknown> = { messages: [first] };
  for (let step = 1; step <= steps; step++) {
    const added = messagesOfStep(step, play, result).map(play.change ?? ((message) => message));
    thread.push(...added);
    state = { ...state, messages: [...listOf(state), ...added] };
    state = merged(state, await node(state, config));
    prompts.push(listOf(state));
  }
  const again = async () => ({ messages: listOf(merged(state, await node(state, config))) });
  const opened = (messages: readonly BaseMessage[]) => unfolded(messages, files, "t");
  return { messages: listOf(state), state, files, events, prompts, thread: () => thread, again, opened };
}

function messagesOfStep(step: number, play: PlayOptions, result: (step: number) => string): BaseMessage[] {
  const args = play.call?.(step);
  const fold = args === undefined ? [] : [{ id: `fold-${step}`, name: "fold_context", args }];
  const words = play.user?.(step);
  const { name, args: own } = play.tool?.(step) ?? { name: "open", args: { page: step } };
  return [
    new AIMessage({
      id: `ai-${step}`,
      content: `Looking at ${step}. ${play.say?.(step) ?? ""}`.trim(),
      tool_calls: [{ id: `call-${step}`, name, args: own }, ...fold],
    }),
    new ToolMessage({
      id: `result-${step}`,
      name,
      content: result(step),
      tool_call_id: `call-${step}`,
    }),
    ...fold.map(
      ({ id }) =>
        new ToolMessage({
          id: `done-${step}`,
          name: "fold_context",
          content: "Noted.",
          tool_call_id: id,
        }),
    ),
    ...(words === undefined ? [] : [new HumanMessage({ id: `user-${step}`, content: words })]),
  ];
}

/** Returns a result of about 130 tokens. */
function resultOf(step: number): string {
  const rows = Array.from(
    { length: 8 },
    (_, row) => `row ${row} of page ${step}: value ${step * 7919 + row}, in stock`,
  );
  return rows.join("\n");
}

function listOf(state: Record<string, unknown>): readonly BaseMessage[] {
  return state["messages"] as readonly BaseMessage[];
}

function merged(state: Record<string, unknown>, update: Record<string, unknown>): Record<string, unknown> {
  const { messages, compaction } = update;
  return {
    ...state,
    ...(Overwrite.isInstance<BaseMessage[]>(messages) ? { messages: messages.value } : {}),
    compaction: { ...(state["compaction"] as object), ...(compaction as object) },
  };
}

/** Returns malformed directives as models write them: cut off, with changed characters, with values of the wrong type. */
export function malformedDirective(steps: number): fc.Arbitrary<string> {
  const number = fc.oneof(fc.integer({ min: -3, max: steps + 3 }), fc.constantFrom(0, 1.5, 1e21, -0));
  const summary = fc.oneof(fc.string(), fc.constantFrom("", "$& </context> <context>{", '"}]', "\u0000"));
  const valid = fc.oneof(
    fc.record({ range: fc.array(number, { maxLength: 3 }), summary }),
    fc.record({
      fold: fc.record({
        type: fc.constantFrom("deep_consolidation", "granular_condensation", "none"),
        target: fc.record({ ids: fc.array(number) }),
        summary_text: summary,
      }),
    }),
    fc.record({ range: fc.constantFrom(null, "1-3", {}, [[1]]), summary: fc.anything({ maxDepth: 1 }) }),
    fc.anything({ maxDepth: 2 }),
  );
  const text = valid.map(
    (value) =>
      JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)) ??
      "undefined",
  );
  const cut = fc.tuple(text, fc.nat(200)).map(([whole, end]) => whole.slice(0, end));
  const changed = fc
    .tuple(text, fc.nat(200), fc.string({ maxLength: 3 }))
    .map(([whole, at, mark]) => whole.slice(0, at) + mark + whole.slice(at + 1));
  const fenced = text.map((whole) => `Here it is:\n\`\`\`json\n${whole}\n\`\`\`\nThat is all.`);
  return fc.oneof(text, cut, changed, fenced, fc.string({ unit: "grapheme", maxLength: 60 }));
}

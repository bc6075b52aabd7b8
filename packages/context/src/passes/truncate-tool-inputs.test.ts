import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";
import { readerOf, recordWrites, talk } from "../testing/index.js";
import { truncateToolInputs } from "./truncate-tool-inputs.js";

const source = "export const answer = 42; // $& $' $$\n".repeat(100);
const args = { file_path: "src/answer.ts", content: source };
const call = { type: "tool_call" as const, id: "a", name: "write_file", args };
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const end = [talk.result("ra", "a", "ok"), talk.ai("e", "done")];

async function undo(rewrite: ReturnType<typeof truncateToolInputs>): Promise<BaseMessage[]> {
  const archive = new Map<string, string>();
  recordWrites(archive, rewrite.writes);
  return unfold(rewrite.messages, readerOf(archive));
}

describe("truncateToolInputs", () => {
  it("points to the exact text, and names the file that it was passed for", async () => {
    const rewrite = truncateToolInputs([new AIMessage({ id: "m", content: "", tool_calls: [call] }), ...end]);
    const path = rewrite.folds[0]?.path ?? "";
    expect(path).toMatch(/^\/context\/inputs\/write_file-[0-9a-f]{16}\.txt$/);
    expect((rewrite.messages[0] as AIMessage).tool_calls).toEqual([
      {
        ...call,
        args: {
          file_path: "src/answer.ts",
          content: `[Input of ${source.length} characters archived: ${path}, as passed for src/answer.ts]`,
        },
      },
    ]);
    expect(rewrite.writes[0]).toEqual({ path, content: source });
    expect(rewrite.writes[1]?.path).toBe(rewrite.folds[0]?.record);
    expect((await undo(rewrite))[0]).toMatchObject({ id: "m", tool_calls: [call] });
  });

  // Peer failure: arguments in Anthropic's blocks went to the provider uncut: 5,149 bytes instead of 192.
  it.each<[string, AIMessage | AIMessageChunk]>([
    [
      "blocks of Anthropic",
      new AIMessage({
        id: "m",
        content: [{ type: "tool_use", id: "a", name: "write_file", input: args }],
        tool_calls: [call],
      }),
    ],
    [
      "blocks without parsed calls",
      new AIMessage({ id: "m", content: [{ type: "tool_use", id: "a", name: "write_file", input: args }] }),
    ],
    [
      "blocks whose input is JSON text",
      new AIMessage({
        id: "m",
        content: [{ type: "tool_use", id: "a", name: "write_file", input: JSON.stringify(args) }],
        tool_calls: [call],
      }),
    ],
    [
      "raw calls of OpenAI",
      new AIMessage({
        id: "m",
        content: "",
        tool_calls: [call],
        additional_kwargs: {
          tool_calls: [
            { id: "a", type: "function", function: { name: "write_file", arguments: JSON.stringify(args) } },
          ],
        },
      }),
    ],
    [
      "output items of OpenAI Responses",
      new AIMessage({
        id: "m",
        content: "",
        tool_calls: [call],
        response_metadata: {
          output: [
            { type: "function_call", call_id: "a", name: "write_file", arguments: JSON.stringify(args) },
          ],
        },
      }),
    ],
    [
      "chunks of a stream",
      new AIMessageChunk({
        id: "m",
        content: "",
        tool_call_chunks: [
          { type: "tool_call_chunk", id: "a", index: 0, name: "write_file", args: JSON.stringify(args) },
        ],
      }),
    ],
    [
      "calls whose arguments are no JSON",
      new AIMessage({
        id: "m",
        content: "",
        invalid_tool_calls: [{ type: "invalid_tool_call", id: "a", name: "write_file", args: source }],
      }),
    ],
  ])("leaves nothing of the input in %s", async (_, message) => {
    const rewrite = truncateToolInputs([message, ...end]);
    const [after] = rewrite.messages;
    expect(JSON.stringify(after)).not.toContain("answer = 42");
    expect(JSON.stringify(after).length).toBeLessThan(3_000);
    expect(rewrite.folds).toHaveLength(1);
    expect(JSON.stringify((await undo(rewrite))[0]?.lc_kwargs["content"])).toBe(
      JSON.stringify(message.content),
    );
    expect((await undo(rewrite))[0]).toMatchObject({ id: "m", additional_kwargs: message.additional_kwargs });
  });

  // Peer failure: rebuilt messages lost id, name, usage, metadata and broken calls.
  it("keeps id, name, usage, metadata, reasoning and broken calls", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const message = new AIMessage({
      id: "m",
      name: "coder",
      content: [thinking, { type: "tool_use", id: "a", name: "write_file", input: args }],
      tool_calls: [call],
      invalid_tool_calls: [{ type: "invalid_tool_call", id: "b", name: "ls", args: "{" }],
      response_metadata: { model: "x" },
    });
    Object.assign(message, { usage_metadata: usage });
    const [after] = truncateToolInputs([message, talk.result("rb", "b", "?"), ...end]).messages;
    expect(after).toMatchObject({
      id: "m",
      name: "coder",
      usage_metadata: usage,
      response_metadata: { model: "x" },
      invalid_tool_calls: [{ id: "b", args: "{" }],
    });
    expect(after?.content[0]).toEqual(thinking);
    expect(after?.constructor).toBe(AIMessage);
  });

  // Peer failure: a sliding cutoff broke the prompt prefix on 50 of 60 calls.
  it("truncates each message once, so that the prefix holds from then on", () => {
    const thread: BaseMessage[] = [];
    let context: readonly BaseMessage[] = [];
    const prefixes: string[] = [];
    for (let step = 0; step < 10; step++) {
      const added = [
        talk.calls(`m${step}`, { [`c${step}`]: ["write_file", { ...args, file_path: `${step}.ts` }] }),
        talk.result(`r${step}`, `c${step}`, "ok"),
      ];
      thread.push(...added);
      context = truncateToolInputs([...context, ...added]).messages;
      prefixes.push(
        context
          .slice(0, -2)
          .map((message) => JSON.stringify(message))
          .join("\n"),
      );
    }
    expect(prefixes.slice(1).filter((prefix, index) => !prefix.startsWith(prefixes[index] ?? "?"))).toEqual(
      [],
    );
    expect(context.filter((message) => foldOf(message))).toHaveLength(9);
  });

  it("archives each large text anywhere in the arguments in a separate file", () => {
    const other = source.toUpperCase();
    const edit = talk.calls("m", {
      a: ["multi_edit", { edits: [{ old: source, new: other }], note: "small" }],
    });
    const { writes, messages } = truncateToolInputs([edit, ...end]);
    expect(writes.slice(0, 2).map(({ content }) => content)).toEqual([source, other]);
    expect((messages[0] as AIMessage).tool_calls?.[0]?.args).toMatchObject({
      edits: [
        {
          old: expect.stringContaining("/context/inputs/"),
          new: expect.stringContaining("/context/inputs/"),
        },
      ],
      note: "small",
    });
  });

  it("does not change small inputs, pinned messages, the unseen call and messages from `end` on", () => {
    const written = new AIMessage({ id: "m", content: "", tool_calls: [call] });
    const small = talk.calls("s", { b: ["write_file", { content: "x".repeat(2_000) }] });
    expect(truncateToolInputs([small, ...end]).folds).toEqual([]);
    expect(truncateToolInputs([written, ...end], { pin: ({ id }) => id === "m" }).folds).toEqual([]);
    expect(truncateToolInputs([written, talk.result("ra", "a", "ok")]).folds).toEqual([]);
    expect(truncateToolInputs([written, ...end], { end: 0 }).folds).toEqual([]);
    expect(truncateToolInputs([written, ...end], { inputCharacters: source.length }).folds).toEqual([]);
    expect(truncateToolInputs([written, ...end], { end: 1 }).folds).toHaveLength(1);
  });

  it("returns the same list when there is nothing to replace", () => {
    expect(truncateToolInputs(end).messages).toBe(end);
  });
});

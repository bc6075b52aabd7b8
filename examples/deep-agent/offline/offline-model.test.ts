import { readdirSync, readFileSync } from "node:fs";
import { ContextOverflowError } from "@langchain/core/errors";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type AIMessageChunk,
  type UsageMetadata,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { todoTool } from "../agent/todo-tool.js";
import { countPrompt } from "../count-prompt.js";
import { toWireTool } from "../wire-tool.js";
import { OfflineModel } from "./offline-model.js";

const request = new HumanMessage("# Research\nFind the facts.\n- zod: ZodType\n");
const call = { type: "tool_call" as const, id: "c", name: "list_files", args: { package: "zod" } };
const thread = [
  new SystemMessage("You research."),
  request,
  new AIMessage({
    content: "Now: reading the manifest of zod.\nKnown about zod:",
    tool_calls: [call],
  }),
  new ToolMessage({ content: "==> zod\n10 a.js\n2000 b.js\n300 c.js", tool_call_id: "c" }),
];
const tools = [todoTool()];
const model = (): OfflineModel => new OfflineModel({ contextWindow: 32_000 });

describe("OfflineModel", () => {
  it("gives the same reply, ids included, to the same prompt in another instance", async () => {
    const [a, b] = await Promise.all([
      model().bindTools(tools).invoke(thread),
      model().bindTools(tools).invoke(thread),
    ]);
    expect(a).toEqual(b);
    expect(a.text).toContain("largest: b.js 2000");
  });

  it("knows nothing that the prompt does not show", async () => {
    const blank = thread.with(3, new ToolMessage({ content: "gone", tool_call_id: "c" }));
    expect((await model().invoke(blank)).text).not.toContain("b.js");
  });

  it("streams what it would have returned", async () => {
    const whole = await model().bindTools(tools).invoke(thread);
    let streamed: AIMessageChunk | undefined;
    let chunks = 0;
    for await (const chunk of await model().bindTools(tools).stream(thread)) {
      streamed = streamed?.concat(chunk) ?? chunk;
      chunks += 1;
    }
    expect(chunks).toBeGreaterThan(3);
    expect(streamed?.id).toBe(whole.id);
    expect(streamed?.text).toBe(whole.text);
    expect(streamed?.tool_calls).toEqual(whole.tool_calls);
    expect(streamed?.usage_metadata).toMatchObject(whole.usage_metadata ?? {});
  });

  it("reports the tokens of its prompt, tool schemas included", async () => {
    const reply = await model().bindTools(tools).invoke(thread);
    const { usage_metadata: usage } = reply as unknown as { usage_metadata?: UsageMetadata };
    expect(usage?.input_tokens).toBe(countPrompt(thread, tools.map(toWireTool)).total);
    expect(usage?.input_tokens).toBeGreaterThan(countPrompt(thread).total);
  });

  it("refuses a prompt over its window as a provider does", async () => {
    const small = new OfflineModel({ contextWindow: 50 });
    const error: unknown = await small.invoke(thread).catch((thrown: unknown) => thrown);
    expect(ContextOverflowError.isInstance(error)).toBe(true);
    expect(String(error)).toContain("50 tokens");
  });

  it("imports neither files nor the job nor the research tools", () => {
    const folder = new URL("./", import.meta.url);
    const sources = readdirSync(folder).filter((name) => !name.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(10);
    for (const name of sources) {
      const text = readFileSync(new URL(name, folder), "utf8");
      const imported = [...text.matchAll(/^(?:import .*|\} )from "([^"]+)"/gm)].map(
        (match) => match[1] ?? "",
      );
      const allowed = /^(?:\.\/|@langchain\/core\/|node:crypto$|\.\.\/(?:count-prompt|wire-tool)\.js$)/;
      expect(imported.filter((each) => !allowed.test(each))).toEqual([]);
    }
  });
});

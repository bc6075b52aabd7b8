import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { MemoryBackend, VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { fileTools } from "./file-tools.js";

const file = { type: "file", mimeType: "application/zip", data: "QUJD".repeat(40_000) };
const pdf = (name: string) => ({
  type: "file",
  mimeType: "application/pdf",
  data: btoa(`%PDF-1.7 ${name} ${"x".repeat(3_000_000)}`),
  metadata: { filename: `${name}.pdf` },
});

describe("a file that is cut out of the context", () => {
  it("is a file again when the agent reads it, and is said to be too large where it is", async () => {
    for (const [contextWindow, expected] of [
      [1_000_000, [expect.objectContaining({ type: "text" }), file]],
      [40_000, expect.stringMatching(/has about 30000 tokens\. One result of this agent may have \d+/)],
    ] as const) {
      const files = VirtualFilesystem.inMemory();
      const fetch = tool(() => [file], {
        name: "fetch",
        description: "Fetches a file.",
        schema: z.object({}),
      });
      const model = new ScriptedModel((messages, step) => {
        const path = /read_file shows it again: (\S+)\]/.exec(messages.at(-1)?.text ?? "")?.[1];
        const calls = [
          { name: "fetch", args: {} },
          { name: "read_file", args: { path } },
        ].slice(step, step + 1);
        return new AIMessage({
          id: `step-${step}`,
          content: "Working.",
          tool_calls: calls.map((call) => ({ ...call, id: `call-${step}` })),
        });
      });
      const compact = compactionNode({ files, contextWindow });
      const graph = agentGraph({ model, tools: [fetch, ...fileTools({ files, contextWindow })], compact });
      const question = new HumanMessage({ id: "q", content: "Fetch it and read it." });
      const { messages } = await graph.invoke({ messages: [question] }, inThread("t"));
      const results = messages.filter((message) => message.getType() === "tool");
      expect(results[0]?.text).toMatch(/^\[File moved out of the context: application\/zip, 120000 bytes/);
      expect(results[1]?.content).toEqual(expected);
    }
  });

  it("lets five PDFs of 3 MB each fit a window of 32,000 tokens", async () => {
    const names = ["one", "two", "three", "four", "five"];
    const content = [{ type: "text", text: "Compare these." }, ...names.map(pdf)];
    const compact = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 32_000 });
    const sent: number[] = [];
    const model = new ScriptedModel((messages) => {
      sent.push(estimateTokens(messages));
      return new AIMessage({ id: "a", content: messages[0]?.text ?? "" });
    });
    const graph = agentGraph({ model, tools: [], compact });
    const state = await graph.invoke({ messages: [new HumanMessage({ id: "q", content })] }, inThread("t"));
    expect(sent).toEqual([expect.any(Number)]);
    expect(sent[0]).toBeLessThan(32_000);
    expect(state.messages.at(-1)?.text).toMatch(
      /^Compare these\.\n\[File moved out of the context: one\.pdf, /,
    );
    expect(state.messages.at(-1)?.text.match(/read_file shows it again/g)).toHaveLength(5);
  });

  it("is an image again after a summary has folded the message that showed it", async () => {
    const files = VirtualFilesystem.inMemory();
    const image = { type: "image", mimeType: "image/png", data: "QUJD".repeat(2_000) };
    const past = history({ steps: 30, result: (step) => filler(300, step) });
    const seen = new HumanMessage({ id: "shown", content: [{ type: "text", text: "See this." }, image] });
    const asked = [
      new AIMessage({ id: "so", content: "So." }),
      new HumanMessage({ id: "q2", content: "And?" }),
    ];
    const yes = new AIMessage({ id: "yes", content: "Show me." });
    const messages = [...past.slice(0, 1), yes, seen, ...past.slice(1), ...asked];
    const options = { files, contextWindow: 8_000, limits: { userMessages: 1 } };
    const after = messagesAfter(await compactionNode(options)({ messages }, inThread("t")), messages);
    expect(JSON.stringify(after.map(({ content }) => content)).includes("QUJD")).toBe(false);
    const record = after.map(foldOf).find((fold) => fold?.kind === "summary")?.path ?? "";
    const text = await files.archive("t").readText(record);
    const [, path = ""] = /\[image block: read_file shows it again: (\S+)\]/.exec(text) ?? [];
    const read = fileTools({ files, contextWindow: 8_000 }).find(({ name }) => name === "read_file");
    const call = { type: "tool_call" as const, id: "c", name: "read_file", args: { path } };
    const result = await read?.invoke(call, { ...inThread("t"), state: { messages: after } } as never);
    expect(result.content).toEqual([expect.objectContaining({ type: "text" }), image]);
  });
});

it("an image or a PDF of the workspace is read as what it is, and another binary file is named", async () => {
  const files = VirtualFilesystem.inMemory({ mounts: { "/shared/": new MemoryBackend() } });
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
  const paths = ["/shared/a.png", "/shared/b.pdf", "/shared/c.zip"];
  await files.thread("t").backend.uploadFiles(paths.map((path) => [path, bytes]));
  const read = fileTools({ files }).find(({ name }) => name === "read_file");
  const contents = [];
  for (const path of paths) contents.push(await read?.invoke({ path }, inThread("t")));
  const data = Buffer.from(bytes).toString("base64");
  const text = expect.objectContaining({ type: "text" });
  expect(contents).toEqual([
    [text, { type: "image", mimeType: "image/png", data }],
    [text, { type: "file", mimeType: "application/pdf", data }],
    "/shared/c.zip is a binary file (application/zip).",
  ]);
});

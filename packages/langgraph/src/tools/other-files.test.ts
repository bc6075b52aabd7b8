import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { fileTools } from "./file-tools.js";

const fetch = tool(() => filler(4_000), { name: "fetch", description: "Fetches.", schema: z.object({}) });

/** Lets an agent read what was offloaded, twice, and delete it; returns the results and what was told. */
async function readOffloaded(ofNode: VirtualFilesystem, ofTools: VirtualFilesystem) {
  const told: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => event.type === "context.fail" && told.push(event);
  const model = new ScriptedModel((messages, step) => {
    const text = messages.map((message) => message.text).join("\n");
    const path = /\/context\/results\/[\w.-]+\w/.exec(text)?.[0];
    const call = ["fetch", "read_file", "read_file", "delete_file"][step];
    const args = step === 0 ? {} : { path };
    const calls = call === undefined ? [] : [{ id: `call-${step}`, name: call, args }];
    return new AIMessage({ id: `ai-${step}`, content: "Working.", tool_calls: calls });
  });
  const compact = compactionNode({ files: ofNode, contextWindow: 8_000 });
  const tools = [fetch, ...fileTools({ files: ofTools, contextWindow: 8_000, onEvent })];
  const { messages } = await agentGraph({ model, tools, compact }).invoke(
    { messages: [new HumanMessage("Go")] },
    inThread("t"),
  );
  return { told, results: messages.filter(({ type }) => type === "tool").map(({ text }) => text) };
}

it("tools with other files than the node say so to agent and developer, once", async () => {
  const { results, told } = await readOffloaded(VirtualFilesystem.inMemory(), VirtualFilesystem.inMemory());
  expect(results[1]).toMatch(
    /^Error: .*does not exist[^]*pass the same files to the tools and to the compaction\.$/,
  );
  expect(results[2]).toContain("pass the same files");
  expect(told).toMatchObject([{ rung: "wiring", threadId: "t" }]);
});

it("tools with the files of the node say nothing of it, also where an archived file cannot be deleted", async () => {
  const files = VirtualFilesystem.inMemory();
  const { results, told } = await readOffloaded(files, files);
  expect(results[1]).toMatch(/^\[\/context\/results\//);
  expect(results[3]).toMatch(/^Error: .*read-only/);
  expect([...results, told.length].join()).not.toContain("pass the same files");
});

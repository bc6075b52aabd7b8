import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { VirtualFilesystem, type Archive } from "@palimpsest/vfs";
import { createAgent, createMiddleware } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { FailingDriver } from "../testing/storage.js";

const look = tool(() => "seen", {
  name: "look",
  description: "Looks at a page.",
  schema: z.object({ page: z.number() }),
});
const sizes = { contextWindow: 100_000, summaryModel: "none" } as const;

async function promptsIn(archive: Archive): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { path } of archive.list("/context/prompts/")) paths.push(path);
  return paths;
}

interface KeptPrompt {
  readonly systemPrompt: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: object;
  }[];
}

it("a middleware keeps the system prompt and the tools of a call, each version once", async () => {
  const files = VirtualFilesystem.inMemory();
  const archive = files.archive("t");
  let year = 2025;
  const dated = createMiddleware({
    name: "Dated",
    wrapModelCall: async (request, handler) =>
      handler({ ...request, systemMessage: request.systemMessage.concat(` It is ${year}.`) }),
  });
  const model = new ScriptedModel((_, call) => new AIMessage(`Answer ${call}.`));
  const middleware = [dated, contextMiddleware({ ...sizes, files, agentControlled: true })];
  const agent = createAgent({ model, tools: [look], systemPrompt: "You audit.", middleware });
  let state: Record<string, unknown> = {};
  const kept: string[] = [];
  for (const now of [2025, 2025, 2026]) {
    year = now;
    const messages = [new HumanMessage(`In ${now}?`)];
    state = await agent.invoke({ ...state, messages } as never, inThread("t"));
    kept.push((state["compaction"] as { readonly prompt: string }).prompt);
  }

  expect(kept[1]).toBe(kept[0]);
  expect([...new Set(kept)].toSorted()).toEqual(await promptsIn(archive));
  const [first, last] = await Promise.all(
    [kept[0], kept[2]].map(async (path) => JSON.parse(await archive.readText(path ?? "")) as KeptPrompt),
  );
  expect(first?.systemPrompt).toBe("You audit. It is 2025.");
  expect(last?.systemPrompt).toBe("You audit. It is 2026.");
  expect(last?.tools).toEqual(first?.tools);
  const names = first?.tools.map(({ name }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(["look", "read_file", "compress_context"]));
  expect(first?.tools.find(({ name }) => name === "look")).toMatchObject({
    description: "Looks at a page.",
    parameters: { properties: { page: { type: "number" } }, required: ["page"] },
  });
});

it("a node keeps those of its options, and nothing without them", async () => {
  const files = VirtualFilesystem.inMemory();
  const state = { messages: [new HumanMessage({ id: "h", content: "Go." })], compaction: {} };
  const given = { systemPrompt: "You audit.", tools: [look] };
  const update = await compactionNode({ ...sizes, files, ...given })(state, inThread("t"));
  const bare = await compactionNode({ ...sizes, files })(state, inThread("other"));

  const [path] = await promptsIn(files.archive("t"));
  expect(update).toMatchObject({ compaction: { prompt: path } });
  expect(path).toMatch(/^\/context\/prompts\/[0-9a-f]{16}\.json$/u);
  expect(await promptsIn(files.archive("other"))).toEqual([]);
  expect(JSON.stringify(bare)).not.toContain("prompt");
});

it("a tool that the host changes in place is a version of its own", async () => {
  const files = VirtualFilesystem.inMemory();
  const seen = { name: "look", description: "Looks at a page.", schema: { type: "object", properties: {} } };
  const search = { type: "web_search", max_uses: 5 };
  const node = compactionNode({ ...sizes, files, tools: [seen, search] });
  const state = { messages: [new HumanMessage({ id: "h", content: "Go." })], compaction: {} };
  const changes = [
    () => undefined,
    () => (seen.description = "Looks at two pages."),
    () => (search.max_uses = 6),
    () => (seen.schema = { type: "object", properties: { page: { type: "number" } } }),
    () => undefined,
  ];
  const kept: unknown[] = [];
  for (const change of changes) {
    change();
    kept.push((await node(state, inThread("t")))["compaction"]);
  }
  const paths = kept.map((compaction) => (compaction as { readonly prompt: string }).prompt);
  expect(new Set(paths).size).toBe(4);
  expect(paths[4]).toBe(paths[3]);
  expect(await promptsIn(files.archive("t"))).toHaveLength(4);
});

it("an archive that takes nothing stops no call", async () => {
  const driver = new FailingDriver();
  driver.full = true;
  const files = new VirtualFilesystem({ driver });
  const node = compactionNode({ ...sizes, files, systemPrompt: "You audit." });
  const state = { messages: [new HumanMessage({ id: "h", content: "Go." })], compaction: {} };
  expect(JSON.stringify(await node(state, inThread("t")))).not.toContain("prompt");
  expect(driver.refused).toBe(1);
});

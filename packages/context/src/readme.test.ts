import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as folding from "./folding/index.js";
import * as context from "./index.js";
import { messageText } from "./messages/text.js";
import * as selection from "./selection/index.js";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

it("prints what the README says", async () => {
  const log = "12:00:07 ERROR connection refused\n".repeat(5_000);
  const messages = [
    new HumanMessage("Why does the worker stop?"),
    new AIMessage({ content: "", tool_calls: [{ id: "call_0", name: "read_log", args: {} }] }),
    new ToolMessage({ content: log, tool_call_id: "call_0", name: "read_log" }),
  ];
  const { messages: shown, writes } = context.offloadLargeToolResults(messages, { previewLines: 1 });
  const archive = new Map(writes.map(({ path, content }) => [path, content]));
  const printed = shown.slice(2).map(messageText).join("").split("\n");
  expect(readme).toContain(printed.map((line) => `// ${line}`).join("\n"));
  const thread = await context.unfold(shown, (path) => Promise.resolve(archive.get(path) ?? ""));
  expect(thread[2]?.content).toBe(log);
});

const entries = { "@palimpsest/context/folding": folding, "@palimpsest/context/selection": selection };

it("exports every function that the README's table names", () => {
  const table = readme.slice(readme.indexOf("## Functions"), readme.indexOf("The types are"));
  const names = namesOf(table.split("\n").map((row) => row.split("|")[1] ?? ""));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !(name in context))).toEqual([]);
});

it.each(Object.entries(entries))("exports from %s what the README names there", (path, entry) => {
  const names = namesOf([readme.split("\n").find((row) => row.startsWith(`| \`${path}\``)) ?? ""]);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !(name in entry))).toEqual([]);
});

function namesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => String(name)));
}

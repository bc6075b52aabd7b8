import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as context from "./index.js";
import { messageText } from "./messages/text.js";

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

it("exports every function that the README's table names", () => {
  const table = readme.slice(readme.indexOf("## Functions"), readme.indexOf("## What it promises"));
  const rows = table.split("\n").filter((row) => row.startsWith("| `") && !row.includes("(`"));
  const names = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !(String(name) in context))).toEqual([]);
});

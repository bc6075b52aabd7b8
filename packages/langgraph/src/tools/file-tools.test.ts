import { AIMessage, HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { ContextError, estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem, type Files } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { fileTools } from "./file-tools.js";

type Call = readonly [name: string, args: Record<string, unknown>];

interface Session {
  readonly files?: VirtualFilesystem;
  readonly threadId?: string;
  /** Further tools. */
  readonly beside?: Parameters<typeof agentGraph>[0]["tools"];
  readonly resultCharacters?: number;
}

/** Makes the calls of each step in turn and returns what the agent read, a list for each step. */
async function session(steps: readonly (readonly Call[])[], options: Session = {}) {
  const { files = VirtualFilesystem.inMemory(), threadId = "t", beside = [], resultCharacters } = options;
  const model = new ScriptedModel((_, step) => {
    const calls = (steps[step] ?? []).map(([name, args], at) => ({ id: `${step}-${at}`, name, args }));
    return new AIMessage({ id: `step-${step}`, content: "Working.", tool_calls: calls });
  });
  const tools = fileTools({ files, ...(resultCharacters === undefined ? {} : { resultCharacters }) });
  const compact = compactionNode({ files, contextWindow: 1_000_000 });
  const graph = agentGraph({ model, tools: [...tools, ...beside], compact });
  const state = await graph.invoke(
    { messages: [new HumanMessage({ id: "q", content: "Go" })] },
    inThread(threadId),
  );
  return { results: resultsOf(state.messages, steps), files: state.files, messages: state.messages };
}

function resultsOf(messages: readonly BaseMessage[], steps: readonly (readonly Call[])[]) {
  const results = messages.filter((message): message is ToolMessage => message.getType() === "tool");
  return steps.map((calls, step) =>
    calls.map((_, at) => results.find((result) => result.tool_call_id === `${step}-${at}`)?.text ?? ""),
  );
}

const write = (path: string, content: string): Call => ["write_file", { path, content }];
const read = (path: string, args: Record<string, unknown> = {}): Call => ["read_file", { path, ...args }];

describe("the tools", () => {
  it("delete a file, and not one of the archive", async () => {
    const { results } = await session([
      [write("/a.md", "one")],
      [["delete_file", { path: "/a.md" }]],
      [read("/a.md")],
      [["delete_file", { path: "/context/results/x.txt" }]],
    ]);
    expect(results[1]).toEqual(["Deleted /a.md."]);
    expect(results[2]?.[0]).toMatch(/does not exist/);
    expect(results[3]?.[0]).toMatch(/^Error: .*read-only/);
  });

  it("take file_path in place of path, as prompts for Deep Agents say it", async () => {
    const { results } = await session([
      [["write_file", { file_path: "/a.md", content: "one" }]],
      [["read_file", { file_path: "/a.md" }]],
    ]);
    expect(results[1]?.[0]).toBe("[/a.md lines 1-1 of 1]\none");
  });

  it("write, read, edit, list, find and search the agent's files over the steps of a run", async () => {
    const { results } = await session([
      [write("/notes/a.md", "one\ntwo\nthree\n")],
      [read("/notes/a.md")],
      [["edit_file", { path: "/notes/a.md", old_string: "two", new_string: "$& two" }]],
      [
        ["ls", { path: "/notes" }],
        ["glob", { pattern: "**/*.md" }],
        ["grep", { pattern: "tw", path: "/" }],
        read("/notes/a.md", { offset: 1, limit: 1 }),
      ],
    ]);
    expect(results).toEqual([
      ["Wrote 14 characters to /notes/a.md."],
      ["[/notes/a.md lines 1-3 of 3]\none\ntwo\nthree\n"],
      ["Replaced 1 in /notes/a.md."],
      [
        "/notes/a.md (17 bytes)",
        "/notes/a.md (17 bytes)",
        "/notes/a.md:2: $& two",
        "[/notes/a.md lines 2-2 of 3]\n$& two\n",
      ],
    ]);
  });

  it("answer a mistake with a text that says what is wrong, and change nothing", async () => {
    const { results, files } = await session([
      [write("/a.md", "same same")],
      [
        read("/missing.md"),
        ["edit_file", { path: "/a.md", old_string: "same", new_string: "x" }],
        ["edit_file", { path: "/a.md", old_string: "absent", new_string: "x" }],
        ["grep", { pattern: "(", regex: true }],
        ["ls", { path: "../../etc" }],
        read("/a.md\0.txt"),
        ["glob", { pattern: "*.nothing" }],
        ["grep", { pattern: "nothing", path: "/" }],
      ],
      [read("/a.md")],
    ]);
    const [missing, twice, absent, regex, escape, nul, noFile, noMatch] = results[1] ?? [];
    const errors = [missing, twice, absent, regex, nul];
    expect(errors.filter((text) => !text?.startsWith("Error: "))).toEqual([]);
    expect(missing).toContain("/missing.md");
    expect(escape).not.toContain("passwd");
    expect(noFile).toBe("No file below / matches *.nothing.");
    expect(noMatch).toBe("No match for nothing below /.");
    expect(results[2]).toEqual(["[/a.md lines 1-1 of 1]\nsame same"]);
    expect(Object.keys(files)).toEqual(["/a.md"]);
  });

  it("answer arguments of a wrong type with an error, and the run goes on", async () => {
    const { results } = await session([[["read_file", { path: 7 }]], [write("/a", "x")]]);
    expect(results[0]?.[0]).toContain("Error");
    expect(results[1]).toEqual(["Wrote 1 characters to /a."]);
  });

  it("bound every result and say how to go on", async () => {
    const long = Array.from({ length: 400 }, (_, line) => `line ${line} ${"x".repeat(40)}`).join("\n");
    const many = Array.from({ length: 60 }, (_, at) => write(`/many/file-with-a-long-name-${at}.txt`, long));
    const { results } = await session(
      [
        many,
        [
          read("/many/file-with-a-long-name-0.txt", { limit: 400 }),
          ["ls", { path: "/many" }],
          ["grep", { pattern: "line" }],
          ["glob", { pattern: "**" }],
        ],
      ],
      { resultCharacters: 1_000 },
    );
    const texts = results[1] ?? [];
    expect(texts.filter((text) => text.length > 1_150)).toEqual([]);
    expect(texts[0]).toMatch(/read on with offset \d+/);
    expect(texts.slice(1).filter((text) => !/\[\d+ more: /.test(text))).toEqual([]);
  });

  it("reach every part of a one-line file of 800 KB, by search and by bytes", async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => ({
      row,
      value: (row * 7919) % 100_003,
      pad: "........",
    }));
    const line = JSON.stringify(rows);
    const needle = '"row":15000,"value":';
    const { results } = await session([
      [write("/data.json", line)],
      [read("/data.json"), ["grep", { pattern: needle, path: "/data.json" }]],
      [
        read("/data.json", { byte_offset: line.indexOf(needle), byte_limit: 40 }),
        read("/data.json", { byte_offset: line.length - 20 }),
      ],
    ]);
    expect(line.length).toBeGreaterThan(800_000);
    const [page = "", match = ""] = results[1] ?? [];
    expect(page.length).toBeLessThan(20_200);
    expect(page).toContain("read on with byte_offset");
    expect(match).toContain(needle);
    expect(match.length).toBeLessThan(800);
    const [from, to] = /bytes (\d+)-(\d+)/.exec(match)?.slice(1).map(Number) ?? [];
    expect(from).toBeLessThanOrEqual(line.indexOf(needle));
    expect(to).toBeGreaterThan(line.indexOf(needle));
    expect(results[2]?.[0]).toContain(`${needle}${rows[15_000]?.value}`);
    expect(results[2]?.[1]).toContain(line.slice(-20));
  });
});

it("show no half of a character, which providers refuse", async () => {
  const faces = "😀".repeat(400);
  const content = `a${faces}\nfound ${faces}\nb${faces}\n`;
  const steps = [
    [write("/a.md", content)],
    [read("/a.md"), read("/a.md", { byte_offset: 2, byte_limit: 101 })],
    [["grep", { pattern: "found", context_lines: 1 }]],
  ] as const;
  const odd = await session(steps, { resultCharacters: 500 });
  const even = await session(steps, { resultCharacters: 501 });
  const texts = [odd, even].flatMap(({ results }) => results.slice(1).flat());
  expect(texts.filter((text) => text.includes("😀")).length).toBe(6);
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
});

describe("a small context window", () => {
  const contextWindow = 8_000;
  const texts = {
    prose: (row: number) => `row ${row} holds ${row * 31} crates of it`,
    code: (row: number) => `    step_${row} = cut(past[${row * 7}], keep=${(row * 31) % 97})`,
    digits: (row: number) => `${row};${row % 7},${row % 3}:[${row % 5}]{${row % 9}}`,
    Chinese: (row: number) => `第${row}行记录了仓库中货物的数量和批次`,
  };

  it.each(Object.entries(texts))(
    "makes a page of %s so short that no node offloads it, and reading on reaches the end",
    async (_, lineOf) => {
      const files = VirtualFilesystem.inMemory();
      const text = Array.from({ length: 900 }, (_, row) => lineOf(row)).join("\n");
      const prompts: string[] = [];
      const offsets: number[] = [];
      const model = new ScriptedModel((prompt, step) => {
        if (step === 0) return callOf(step, write("/ledger.md", text));
        prompts.push(prompt.at(-1)?.text ?? "");
        const [, end = "0"] = /lines \d+-(\d+) of 900/.exec(prompts.at(-1) ?? "") ?? [];
        if (end === "900") return new AIMessage({ id: "end", content: "All is read." });
        offsets.push(Number(end));
        return callOf(step, read("/ledger.md", { offset: Number(end), limit: 900 }));
      });
      const tools = fileTools({ files, contextWindow });
      const compact = compactionNode({ files, contextWindow });
      const graph = agentGraph({ model, tools, compact });
      const question = new HumanMessage({ id: "q", content: "Read it." });
      const { messages } = await graph.invoke({ messages: [question] }, inThread("t"));
      expect(messages.at(-1)?.text).toBe("All is read.");
      expect(prompts.filter((prompt) => prompt.includes("offloaded"))).toEqual([]);
      expect(offsets.length).toBeGreaterThan(2);
      expect(offsets.length).toBeLessThan(13);
    },
  );

  it.each(Object.entries(texts))("bounds what is found in %s in the same way", async (_, lineOf) => {
    const files = VirtualFilesystem.inMemory();
    const text = Array.from({ length: 900 }, (_, row) => lineOf(row)).join("\n");
    await files.thread("t").archive.append("/context/results/a.txt", text);
    const tools = fileTools({ files, contextWindow });
    const answers = await Promise.all(
      [
        ["grep", { pattern: "1" }],
        ["read_file", { path: "/context/results/a.txt", byte_offset: 1_000 }],
      ].map(async ([name, args]) => tools.find((tool) => tool.name === name)?.invoke(args, inThread("t"))),
    );
    const tokens = answers.map((answer) => estimateTokens([new HumanMessage(String(answer))]));
    expect(tokens.filter((count) => count > contextWindow / 4)).toEqual([]);
    expect(tokens.filter((count) => count > contextWindow / 8)).toHaveLength(2);
  });

  it("requires no argument that has a default", () => {
    const required = fileTools({ files: VirtualFilesystem.inMemory() }).map(({ name, schema }) => [
      name,
      (toJsonSchema(schema) as { readonly required?: readonly string[] }).required ?? [],
    ]);
    expect(Object.fromEntries(required)).toEqual({
      ls: [],
      read_file: ["path"],
      write_file: ["path", "content"],
      edit_file: ["path", "old_string", "new_string"],
      delete_file: ["path"],
      glob: ["pattern"],
      grep: ["pattern"],
    });
  });

  it("refuses a window that is not a number of tokens", () => {
    const files = VirtualFilesystem.inMemory();
    expect(() => fileTools({ files, contextWindow: 0 })).toThrow(/contextWindow is 0/);
  });
});

function callOf(step: number, [name, args]: Call): AIMessage {
  return new AIMessage({
    id: `step-${step}`,
    content: "Working.",
    tool_calls: [{ id: `${step}-0`, name, args }],
  });
}

describe("the archive below /context/", () => {
  const dump = tool(() => Array.from({ length: 9_000 }, (_, row) => `row ${row} = ${row * 31}`).join("\n"), {
    name: "dump",
    schema: z.object({}),
  });

  it("can be listed, searched and read by the agent, but not changed", async () => {
    const files = VirtualFilesystem.inMemory();
    const first = await session([[["dump", {}]]], { files, beside: [dump] });
    const path = /Full text: (\S+)/.exec(first.results[0]?.[0] ?? "")?.[1] ?? "";
    const { results } = await session(
      [
        [
          ["ls", { path: "/context" }],
          ["grep", { pattern: "row 8123 =", path: "/context/" }],
          read(path, { offset: 8_123, limit: 1 }),
        ],
        [
          write(path, "mine now"),
          write("/context/new.md", "x"),
          ["edit_file", { path, old_string: "row 8123", new_string: "x" }],
        ],
        [read(path, { offset: 8_123, limit: 1 })],
      ],
      { files },
    );
    expect(results[0]?.[0]).toContain("/context/results");
    expect(results[0]?.[1]).toBe(`${path}:8124: row 8123 = ${8123 * 31}`);
    expect(results[0]?.[2]).toContain(`row 8123 = ${8123 * 31}`);
    expect(
      results[1]?.filter((text) => !(text.startsWith("Error: ") && text.includes("append-only"))),
    ).toEqual([]);
    expect(results[2]).toEqual([results[0]?.[2]]);
  });
});

it("keeps two parallel writes to one file, and tells the agent", async () => {
  const { results, files } = await session([
    [write("/plan.md", "base")],
    [write("/plan.md", "mine"), write("/plan.md", "yours")],
    [read("/plan.md"), ["ls", { path: "/" }]],
  ]);
  const copies = Object.keys(files).filter((path) => path !== "/plan.md");
  expect(copies).toHaveLength(1);
  expect(results[2]?.[0]).toContain("Two writers changed /plan.md at once");
  expect(results[2]?.[0]).toContain(copies[0]);
  expect(results[2]?.[0]).toMatch(/mine|yours/);
});

describe("a graph without the files channel", () => {
  const calls = [write("/a.md", "lost?"), read("/a.md")].map(([name, args], at) => ({
    id: `c${at}`,
    name,
    args,
  }));
  const model = () =>
    new ScriptedModel((_, at) => new AIMessage({ content: "Working.", tool_calls: at === 0 ? calls : [] }));

  it("says that nothing was written and what the developer has to do, and loses no message", async () => {
    const files = VirtualFilesystem.inMemory();
    const scripted = model();
    const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec }))
      .addNode("model", async ({ messages }) => ({ messages: [await scripted.invoke(messages)] }))
      .addNode("tools", new ToolNode(fileTools({ files })))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"));
    const results = messages.filter((message) => message.getType() === "tool");
    expect(results[0]?.text).toContain(
      "write_file changed nothing, because the graph has no channel for files",
    );
    expect(results[0]?.text).toContain("contextInput");
    expect(results[1]?.text).toMatch(/^Error: /);
    expect(messages).toHaveLength(5);
  });
});

it("are refused unless their limit is a number above 0", () => {
  const files = VirtualFilesystem.inMemory();
  for (const resultCharacters of [0, -5, Number.NaN]) {
    expect(() => fileTools({ files, resultCharacters })).toThrow(ContextError);
  }
});

it("keep their state in the graph: entries of a few hundred bytes, and no content", async () => {
  const content = "secret ".repeat(10_000);
  const { files } = await session([[write("/big.txt", content)]]);
  const state = JSON.stringify(files satisfies Files);
  expect(state.length).toBeLessThan(500);
  expect(state).not.toContain("secret");
});

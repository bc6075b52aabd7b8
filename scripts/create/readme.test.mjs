import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../run.mjs";

const readme = readFileSync(join(root, "README.md"), "utf8");
const [, program] = /```ts\n([\s\S]*?)```/.exec(readme);
const [, commands] = /```sh\n([\s\S]*?)```/.exec(readme);

let folder;
let server;
const prompts = [];

/** Reads package-lock.json, then tells where the result went. */
function replyTo({ messages }) {
  const result = messages.findLast(({ role }) => role === "tool")?.content;
  if (result !== undefined) return { content: `It is in ${/\/context\/\S+/.exec(result)?.[0]}` };
  const call = { name: "read", arguments: JSON.stringify({ path: "package-lock.json" }) };
  return { content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-readme-"));
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    prompts.push(body);
    const message = { role: "assistant", ...replyTo(JSON.parse(body)) };
    const choices = [{ index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" }];
    const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 9, total_tokens: 9 };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: `reply-${prompts.length}`,
        object: "chat.completion",
        model: "m",
        choices,
        usage,
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command without blocking the server. */
function run(cwd, command) {
  const env = {
    ...process.env,
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
  };
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { cwd, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    child.on("close", (status) => resolve({ status, output }));
  });
}

it("the README alone leads from an empty folder to a running agent in three minutes", async () => {
  const started = performance.now();
  const project = join(folder, "my-agent");
  mkdirSync(project);
  writeFileSync(join(project, "agent.mjs"), program);
  const lines = commands
    .split("\n")
    .filter((line) => /^(?:cd|npm|\(|OPENAI)/.test(line))
    .map((line) => line.replace("../palimpsest", () => root).replace("cd my-agent && ", ""))
    .map((line) => line.replace("../my-agent", () => project).replace("OPENAI_API_KEY=… ", ""));
  expect(lines).toHaveLength(4);
  const outputs = [];
  for (const line of lines) {
    const { status, output } = await run(project, line);
    expect(status, `${line}\n${output}`).toBe(0);
    outputs.push(output);
  }
  expect(outputs.at(-1)).toMatch(/^It is in \/context\/results\/read-\w+\.json/);
  expect(prompts).toHaveLength(2);
  expect(performance.now() - started).toBeLessThan(180_000);
  const inspect = "node_modules/.bin/palimpsest inspect agent.db --report page.html";
  expect(spawnSync("sh", ["-c", inspect], { cwd: project }).status).toBe(0);
}, 400_000);

it("the program of the README has at most 15 lines of code, and npm installs every package it imports", () => {
  expect(program.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(15);
  const imported = [...program.matchAll(/from "([^."][^"]*)"/g)].map(([, name]) => name);
  const outside = imported.filter((name) => !/^(?:node:)?fs|^@palimpsest/.test(name));
  expect(outside.length).toBeGreaterThan(2);
  const install = commands.split("\n").find((line) => line.startsWith("npm install"));
  for (const name of outside) expect(install.split(" ")).toContain(name);
});

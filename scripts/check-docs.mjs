// Type-checks and runs every ```ts block of the documentation: an example that does not run is a bug. Of a ```diff block, the
// program before and the one after. Links lead to files and headings that are there, and the figures of the comparison are in the
// files that it links to. Brings llms.txt up to date.
// `npm run docs -- docs/recipes.md` checks one page.
//
// A block may import "./my-agent.js", which stands for the reader's model and tools. Requests to OpenAI go to a local
// server that answers every question with "done".
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unmeasuredFigures } from "./docs/compared.mjs";
import { deadLinks } from "./docs/dead-links.mjs";
import { llmsText } from "./docs/llms.mjs";
import { root } from "./run.mjs";

const folder = join(root, "examples/.docs");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(api|\.vitepress)\b/.test(name))
    .map((name) => `docs/${name}`),
].filter((page) => page.endsWith(".md") && page.startsWith(process.argv[2] ?? ""));

writeFileSync(join(root, "llms.txt"), llmsText());
const dead = pages.flatMap((page) => deadLinks(page).map((link) => `${page}: ${link}`));
if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join("\n")}`);
const unmeasured = unmeasuredFigures();
if (unmeasured.length > 0) throw new Error(`Figures without a source:\n${unmeasured.join("\n")}`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
copyFileSync(join(root, "examples/docs/my-agent.ts"), join(folder, "my-agent.ts"));

/**
 * Returns the programs of a page. A block "```diff lines=6" states how many lines a change adds, without imports, and is two
 * programs.
 */
function programsOf(page) {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(?:ts|diff lines=(\d+))\n([\s\S]*?)^```/gm)].flatMap(
    ([, stated, code = ""]) => {
      if (stated === undefined) return [code];
      const lines = code.split("\n");
      const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+import ")).length;
      if (added !== Number(stated))
        throw new Error(`${page}: a change adds ${added} lines and states ${stated}`);
      return ["-", "+"].map((side) =>
        lines
          .filter((line) => !/^[-+]/.test(line) || line.startsWith(side))
          .map((line) => line.slice(1))
          .join("\n"),
      );
    },
  );
}

const blocks = pages.flatMap((page) =>
  programsOf(page).map((code, index) => {
    const name = `${page.replaceAll(/[/.]/g, "-")}-${index + 1}.ts`;
    writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    return { page, name };
  }),
);
if (blocks.length === 0) throw new Error("No program found in the documentation");
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.base.json",
    compilerOptions: { noEmit: true, composite: false, declaration: false, declarationMap: false },
    include: ["*.ts"],
  }),
);

function answer(request, response) {
  request.resume().on("end", () => {
    const message = { role: "assistant", content: "done" };
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "1",
        object: "chat.completion",
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      }),
    );
  });
}

const server = createServer(answer);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const env = {
  ...process.env,
  OPENAI_API_KEY: "none",
  OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
};

function run(...args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", 2, 2] });
    child.on("close", resolve);
  });
}

const failed = [];
if ((await run(join(root, "node_modules/typescript/bin/tsc"), "-p", folder)) !== 0) failed.push("types");
for (const { page, name } of blocks) {
  if ((await run(join(root, "node_modules/tsx/dist/cli.mjs"), name)) !== 0) failed.push(`${page} (${name})`);
}
server.close();
if (failed.length > 0) throw new Error(`Documentation that does not hold: ${failed.join(", ")}`);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${blocks.length} documentation examples type-checked and ran\n`);

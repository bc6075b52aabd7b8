// Creates a project with an agent that runs without an API key: `npm run create -- ../my-agent --host create-agent`.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { install, pack } from "../pack/pack.mjs";
import { root, runMain } from "../run.mjs";

const templates = join(root, "scripts/create/templates");
export const hosts = readdirSync(templates).filter((name) => name !== "shared");
const { version } = JSON.parse(readFileSync(join(root, "node_modules/typescript/package.json"), "utf8"));

/** Dependencies of the created project, in the versions that this repository is tested with. */
const examples = JSON.parse(readFileSync(join(root, "examples/package.json"), "utf8")).dependencies;
const catalog = Object.fromEntries(
  [
    ...readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").matchAll(/^ {2}"?([@\w/-]+)"?: (\d\S*)$/gm),
  ].map(([, name, exact]) => [name, `^${exact}`]),
);
const needed = [
  "@langchain/core",
  "@langchain/langgraph",
  "@langchain/openai",
  "gpt-tokenizer",
  "langchain",
  "zod",
];

/** Writes the project without installing it. @throws Error when the folder is not empty or the host is unknown. */
export function create(project, host) {
  if (!hosts.includes(host)) throw new Error(`There is no host "${host}": use ${hosts.join(", ")}`);
  if (existsSync(project) && readdirSync(project).length > 0)
    throw new Error(`${project} is not empty: name a new folder, or use "npm run pack -- ${project}"`);
  mkdirSync(project, { recursive: true });
  cpSync(join(templates, "shared"), project, { recursive: true });
  cpSync(join(templates, host), project, { recursive: true });
  cpSync(join(root, "examples/shared/log-reader.ts"), join(project, "offline-model.ts"));
  const names = host === "deepagents" ? [...needed, "deepagents"] : needed;
  const dependencies = Object.fromEntries(names.map((name) => [name, catalog[name] ?? examples[name]]));
  const manifest = {
    name: basename(project),
    private: true,
    type: "module",
    scripts: {
      start: "tsx main.ts",
      test: "node --import tsx --test agent.test.ts",
      check: "tsc -p .",
    },
    dependencies: forThisNode(dependencies),
    devDependencies: { "@types/node": "^20.19.0", tsx: "^4.20.0", typescript: `^${version}` },
    // tsx brings it; it runs without its script.
    allowScripts: { esbuild: false },
  };
  writeFileSync(join(project, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(project, ".gitignore"), "node_modules/\nagent.db*\n.env\n");
}

/** The newest client of OpenAI needs Node 22. */
function forThisNode(dependencies) {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= 22 ? dependencies : { ...dependencies, "@langchain/openai": "~1.5.8" };
}

function main() {
  const { values, positionals } = parseArgs({
    options: { host: { type: "string", default: "graph" } },
    allowPositionals: true,
  });
  const [target] = positionals;
  if (target === undefined)
    throw new Error(`Name the folder: npm run create -- ../my-agent --host ${hosts.join(" | ")}`);
  const project = resolve(target);
  create(project, values.host);
  install(project, pack(join(root, "packs")));
  process.stdout.write(
    `\nCreated ${project}. Run it, and see what it folded:\n  cd ${target}\n  npm start\n  npx palimpsest inspect agent.db\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(main);

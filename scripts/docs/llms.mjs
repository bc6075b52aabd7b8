// llms.txt: the list of pages for coding agents, and what they should know before the first line of code.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.mjs";

const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const base = `${repository.url.replace(/^git\+|\.git$/g, "")}/raw/main`;

const rules = `- Put \`compactionNode\` directly before the model, on each path that leads to it: from START and from the tools.
- Give nodes, tools and middleware one and the same \`files\`. With \`VfsSaver\` that is \`saver.files\`.
- Bind \`fileTools({ files })\` to the model, so that it can read what was moved to the archive.
- Pass a \`thread_id\` in \`configurable\`: an archive belongs to a thread.
- State \`contextWindow\` in tokens where the model's profile has no \`maxInputTokens\`.
- \`createAgent\`: one \`contextMiddleware\` of \`@palimpsest/langgraph/middleware\` does all of this.
- Do not edit earlier messages in your own nodes: the cache and the model's reasoning depend on them.`;

/** Returns the text of llms.txt. */
export function llmsText() {
  const packages = ["langgraph", "checkpoint", "recall", "context", "vfs", "sessions", "inspector", "cli"];
  return `# Palimpsest

> Keeps a LangGraph.js agent inside its context window and never loses a byte of what it folds away.

${rules}

${section("Guides", ["README.md", ...pagesOf("docs/guides")])}
${section(
  "Packages",
  packages.map((name) => `packages/${name}/README.md`),
)}
${section("Reference", [...pagesOf("docs"), "SECURITY.md"])}
${section("Optional", ["AGENTS.md", "CONTRIBUTING.md", "docs/decisions/README.md"])}`;
}

function section(title, pages) {
  return `## ${title}\n\n${pages.map(entry).join("\n")}\n`;
}

function pagesOf(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}

/** A link with the page's heading and its first sentence. */
function entry(page) {
  const text = readFileSync(join(root, page), "utf8");
  const title = /^# (.*)$/m.exec(text)?.[1] ?? page;
  const first = /^# .*\n+(?:<!--.*-->\n+)?([A-Z`][\s\S]*?[.:])(?:\s|$)/m.exec(text)?.[1] ?? "";
  const sentence = first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .replace(/:$/, ".");
  return `- [${title}](${base}/${page})${sentence === "" ? "" : `: ${sentence}`}`;
}

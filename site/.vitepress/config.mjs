import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const icon = readFileSync(join(root, "docs/images/favicon.svg"), "utf8").trim();
const source = repository.url.replace(/^git\+|\.git$/g, "");

/** Returns entries of the sidebar for the pages of a folder, by their headings. */
function pagesOf(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => ({
      text: titleOf(join(folder, name)),
      link: `/${folder}/${name.replace(".md", "")}`,
    }));
}

function titleOf(path) {
  return /^# (.*)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? path;
}

/** A page keeps its links as the repository shows them; what is no page of the site leads to the repository. */
function linkOf(href, page) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = relative(root, join(root, dirname(page), path));
  const isPage =
    /^(README|SECURITY|CONTRIBUTING)\.md$|^(docs|site\/api)\/.*\.md$|^packages\/[\w-]+\/README\.md$/.test(
      target,
    );
  if (target === "README.md") return "/overview";
  if (!isPage || !existsSync(join(root, target))) return `${source}/blob/main/${target}`;
  // A heading that begins with a number has another anchor here than in the repository.
  const place = anchor === undefined ? "" : `#${anchor.replace(/^(?=\d)/, "_")}`;
  return `/${target.replace(/README\.md$/, "")}${place}`;
}

const packages = ["langgraph", "checkpoint", "recall", "context", "vfs", "sessions", "inspector", "cli"];
const guides = [
  "your-graph",
  "let-the-agent-decide",
  "create-agent-and-deepagents",
  "operate-and-deploy",
  "migrate-and-go-back",
];

/** Entry points of the API reference: pages of the folder that TypeDoc writes. */
const api = readdirSync(join(root, "site/api"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.includes("/src") && name.endsWith(".md"))
  .map((name) => ({ text: titleOf(`site/api/${name}`), link: `/site/api/${name.replace(".md", "")}` }))
  .sort((a, b) => (a.text < b.text ? -1 : 1));

const sidebar = [
  {
    text: "Guides",
    items: [
      { text: "Overview", link: "/overview" },
      ...guides.map((name) => ({
        text: titleOf(`docs/guides/${name}.md`),
        link: `/docs/guides/${name}`,
      })),
    ],
  },
  { text: "Reference", items: pagesOf("docs") },
  {
    text: "Packages",
    items: packages.map((name) => ({ text: `@palimpsest/${name}`, link: `/packages/${name}/` })),
  },
  { text: "API", link: "/site/api/" },
  { text: "Decisions", link: "/docs/decisions/" },
  {
    text: "Project",
    items: [
      { text: "Security", link: "/SECURITY" },
      { text: "Contributing", link: "/CONTRIBUTING" },
    ],
  },
];

/** What the theme lacks in contrast, and a name of the search button that is not its text. */
const style = `
.vp-doc [class*="language-"] > span.lang.lang { color: var(--vp-c-text-2); }
.DocSearch-Button .DocSearch-Button-Keys { display: none; }
.vp-doc picture > img { margin-bottom: 24px; }
`;

export default defineConfig({
  title: "Palimpsest",
  description:
    "Keeps a LangGraph.js agent inside its context window and never loses a byte of what it folds away.",
  srcDir: "..",
  outDir: "dist",
  srcExclude: [
    "**/node_modules/**",
    "**/dist/**",
    "evals/**",
    "examples/**",
    "AGENTS.md",
    ".changeset/**",
    "**/.publish/**",
  ],
  rewrites: {
    "site/home.md": "index.md",
    "README.md": "overview.md",
    ":path(.*)/README.md": ":path/index.md",
  },
  head: [
    ["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
    ["style", {}, style],
  ],
  lastUpdated: false,
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      const render = markdown.renderer.rules.link_open;
      markdown.renderer.rules.link_open = (...rule) => {
        const [tokens, index, options, env, renderer] = rule;
        const href = tokens[index].attrGet("href");
        const page = env.realPath ? relative(root, env.realPath) : env.relativePath;
        if (href !== null) tokens[index].attrSet("href", linkOf(decodeURI(href), page));
        return render?.(...rule) ?? renderer.renderToken(tokens, index, options);
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Overview", link: "/overview" },
      { text: "Guides", link: "/docs/guides/your-graph" },
      { text: "Evidence", link: "/docs/evidence" },
      { text: "API", link: "/site/api/" },
    ],
    // A list for each area: groups that fold are buttons inside buttons, which a screen reader cannot use.
    sidebar: {
      "/site/api/": [
        { text: "Overview", link: "/overview" },
        { text: "API", items: api },
      ],
      "/docs/decisions/": [
        { text: "Overview", link: "/overview" },
        { text: "Decisions", items: pagesOf("docs/decisions") },
      ],
      "/": sidebar,
    },
    socialLinks: [{ icon: "github", link: source }],
    outline: [2, 3],
  },
});

/** The arrows of the architecture: who may import whom. */
const leaf = (name) => ({
  name: `${name}-imports-nothing-of-ours`,
  severity: "error",
  from: { path: `^packages/${name}/` },
  to: { path: `^packages/(?!${name}/)` },
});
const runtime = "node_modules/(langchain|deepagents|@langchain/langgraph[^/]*)/";
const inputOutput = "^(node:)?(fs|fs/promises|net|http|https|child_process|worker_threads)$";

export default {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    leaf("context"),
    leaf("vfs"),
    leaf("sql"),
    leaf("sessions"),
    {
      name: "recall-imports-only-context-and-sql",
      severity: "error",
      from: { path: "^packages/recall/" },
      to: { path: "^packages/(?!recall/|context/(src|dist)/words/|sql/)" },
    },
    leaf("provider-doubles"),
    {
      name: "checkpoint-imports-only-vfs-and-sql",
      severity: "error",
      from: { path: "^packages/checkpoint/", pathNot: "^packages/checkpoint/(src|dist)/saver/erasure/" },
      to: { path: "^packages/(?!checkpoint/|vfs/|sql/)" },
    },
    {
      name: "erasure-imports-only-context-vfs-and-sql",
      severity: "error",
      from: { path: "^packages/checkpoint/(src|dist)/saver/erasure/" },
      to: { path: "^packages/(?!checkpoint/|context/|vfs/|sql/)" },
    },
    {
      name: "only-the-command-line-imports-the-inspector",
      severity: "error",
      from: { path: "^packages/(?!inspector/|cli/)" },
      to: { path: "^packages/inspector/" },
    },
    {
      name: "the-page-imports-no-server",
      severity: "error",
      from: { path: "^packages/inspector/src/page/" },
      to: { path: "^packages/inspector/src/(?!page/|shared/|view\\.ts)" },
    },
    {
      name: "langgraph-does-not-import-checkpoint",
      severity: "error",
      from: { path: "^packages/langgraph/" },
      to: { path: "^packages/checkpoint/" },
    },
    {
      name: "pure-packages-know-no-runtime",
      severity: "error",
      from: { path: "^packages/(context|vfs|recall|sessions)/", pathNot: "\\.test(-d)?\\.ts$" },
      to: { path: runtime },
    },
    {
      name: "context-does-no-input-or-output",
      severity: "error",
      from: { path: "^packages/context/", pathNot: "\\.test\\.ts$" },
      to: { path: inputOutput },
    },
    {
      name: "sessions-read-bytes-not-files",
      severity: "error",
      from: { path: "^packages/sessions/", pathNot: "\\.test\\.ts$" },
      to: { path: inputOutput },
    },
    {
      name: "only-the-front-door",
      severity: "error",
      from: { path: "^(packages/[^/]+|examples|evals)/" },
      to: { path: "^packages/[^/]+/src/", pathNot: "^$1/" },
    },
    {
      name: "nothing-imports-examples-or-evals",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^(examples|evals)/" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules|(^|/)dist/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default", "types"] },
  },
};

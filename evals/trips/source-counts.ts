import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the sources of all packages, without tests. */
function sources(root: string): readonly SourceFile[] {
  const packages = join(root, "packages");
  return readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test(-d)?\.ts$|(^|\/)testing\//.test(path))
      .map((path) => ({
        path: `${name}/src/${path}`,
        text: readFileSync(join(packages, name, "src", path), "utf8"),
      })),
  );
}

/** What one shell around every strategy would make once: how often the sources of `langgraph` do it. */
const patterns: Readonly<Record<string, RegExp>> = {
  "hand-built runs":
    /\b(?:report|seal|archive)\b[^{}]*\bpolicy\b|(?:=|return|,) \{ [^{}]*\barchive\b[^{}]*\bseal\b[^{}]*\}/g,
  "calls of admitFolds": /(?<!function )\badmitFolds\(/g,
  "calls of mustThrow": /(?<!function )\bmustThrow\(/g,
  "calls that drop reasoning":
    /(?<!function )\b(?:dropStaleReasoning|withoutReasoning|withoutStaleReasoning)\(/g,
  "fallbacks to the newest note": /\?\? admitCompaction\(newestNote\(/g,
};

/** Returns counts over the sources, by name. */
export function sourceCounts(root: string): Readonly<Record<string, number>> {
  const all = sources(root);
  const edge = all.filter(({ path }) => path.startsWith("langgraph/"));
  const counted = Object.entries(patterns).map(([name, pattern]) => [
    name,
    edge.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0),
  ]);
  const lines = all.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  return {
    ...(Object.fromEntries(counted) as Record<string, number>),
    "lines of packages/*/src without tests": lines,
  };
}

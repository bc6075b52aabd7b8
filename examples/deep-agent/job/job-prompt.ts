import { type AuditedPackage } from "./choose-job.js";

/** What is asked about every package, as exactly as the answers are checked. Main agent and subagents share it. */
export const factRules = `Facts to find for each package, and the exact rule for each:
- licence: \`license\` in package.json; its \`type\` when it is an object; the \`type\` of the first of \`licenses\` in old files; else "none".
- version: \`version\` in package.json.
- entry: from package.json. \`exports\` when it is a string; else \`exports["."]\` (or \`exports\` itself when its keys do not start with a dot), going down through the first present of the keys import, module, default, node, require, and the first item of an array, until a string is found. When that finds nothing: \`module\`, else \`main\`, else "index.js". Written exactly as in the file.
- largest: the largest file of the package and its size in bytes; the first by path when two are equal.
- imported by: which other audited packages have a source file (.js .cjs .mjs .ts .cts .mts) with a line that contains from "NAME" or require("NAME"), with either kind of quote, or the same with a subpath (NAME/...). Sorted by name; "-" when none.
- symbol: file and line where the named symbol is defined first: the first source file by path with a line that starts, without indentation, with optional export, default, declare, abstract, async, then class or function and the symbol.`;

/** The user's message for the whole audit. */
export function jobPrompt(packages: readonly AuditedPackage[]): string {
  return `# Audit
Audit the ${packages.length} packages below with the research tools and write the result to /report.md: a Markdown table with one row per package and these columns, in this order:
| package | licence | version | entry | largest file | bytes | imported by | symbol defined at |
${factRules}
Keep a note per package in /notes/ while you work: what it is for, its largest file, who imports it, where the symbol is defined, and an outline of its sources. Every fact in the report is checked against the files.

Packages, each with the symbol to locate:
${packages.map((each) => `- ${each.name}: ${each.symbol}`).join("\n")}`;
}

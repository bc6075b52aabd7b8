import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { root } from "../../root.js";
import { versionOf } from "../../report/environment.js";
import { describeFacts, describePalimpsest } from "../describe-facts.js";
import type { ScenarioRow } from "../measure-scenarios.js";
import type { Law } from "./law.js";
import { erasureLaw, laws } from "./laws.js";
import { missingTests } from "./missing-tests.js";

const page = "docs/laws.md";

/**
 * Writes the page of the laws and of the failures as measured, and returns its path.
 *
 * @throws Error when a law names a test that is not there.
 */
export function writeLaws(rows: readonly ScenarioRow[]): string {
  const missing = missingTests([...laws, erasureLaw], root);
  if (missing.length > 0) throw new Error(`Laws name tests that are not there:\n${missing.join("\n")}`);
  const text = [
    "# The laws and their tests",
    "",
    "`npm run eval -- failures --laws` writes this page: do not edit it by hand. The command fails when a test named here is gone.",
    "",
    "## The fourteen laws",
    "",
    ...laws.flatMap((law, index) => lawLines(law, `### ${index + 1}. ${law.name}`)),
    "`npm run fuzz -- --minutes N` checks laws 1 to 8, 12 and 13 over generated threads for N minutes, and law 14 over",
    "generated scripts, which every host plays with and without Palimpsest.",
    "",
    ...lawLines(erasureLaw, `## ${erasureLaw.name}, the one exception`),
    "## Failures of other systems, and the same situations here",
    "",
    `Measured with ${versions()}, offline, with scripted models. "Out of the agent's reach" means in no prompt and in`,
    "no file that the agent can read; the state of a thread may still hold it. Palimpsest is measured as nodes of a",
    "graph and as middleware; where both give the same result, the table states it once.",
    "",
    "| situation | system | what it did | what Palimpsest did |",
    "| --- | --- | --- | --- |",
    ...rows.map(rowLine),
    "",
  ].join("\n");
  writeFileSync(`${root}/${page}`, text);
  execFileSync(`${root}/node_modules/.bin/oxfmt`, [page], { cwd: root });
  return page;
}

function lawLines({ means, tests }: Law, heading: string): readonly string[] {
  const held = tests.map((test) => `- ${test.replace(/^(.*?): /, "`$1`: ")}`);
  return [heading, "", means, "", ...held, ""];
}

function rowLine(row: ScenarioRow): string {
  const cells = [row.title, row.peer, describeFacts(row.peerFacts), describePalimpsest(row)];
  return `| ${cells.map((cell) => cell.replaceAll("|", () => "\\|")).join(" | ")} |`;
}

/** The versions that are installed, not those that were asked for. */
function versions(): string {
  const names = ["deepagents", "langchain", "@langchain/langgraph", "@langchain/core"];
  return names.map((name) => `${name} ${versionOf(name)}`).join(", ");
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = readFileSync(
  fileURLToPath(new URL("../../../../docs/guides/runbook.md", import.meta.url)),
  "utf8",
);

/** The sections of the runbook by their headings. */
export const runbook: ReadonlyMap<string, string> = new Map(
  page
    .split(/^## /mu)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);

export interface RunbookLine {
  /** The words behind `palimpsest`. */
  readonly args: readonly string[];
  readonly line: string;
  readonly code: 0 | 1;
}

/** Returns the commands of each block of a section, with the code that each exits with. Pure. */
export function commandsOf(heading: string): readonly (readonly RunbookLine[])[] {
  const blocks = [...(runbook.get(heading) ?? "").matchAll(/```sh\n(.*?)```/gsu)];
  return blocks.map(([, block = ""]) =>
    block
      .split("\n")
      .filter((line) => line.startsWith("palimpsest "))
      .map((line) => {
        const [command = "", comment = ""] = line.split("#");
        const args = command.trim().split(/\s+/u).slice(1);
        return { args, line, code: comment.includes("exits with 1") ? 1 : 0 };
      }),
  );
}

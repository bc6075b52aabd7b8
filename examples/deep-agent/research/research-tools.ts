import { tool, type StructuredToolInterface } from "@langchain/core/tools";
import { z } from "zod";
import { type CodeBase } from "./code-base.js";

/**
 * Returns the research tools over a code base. They are naive on purpose: a read is the whole file and a search is every
 * match, however large, as most tools that people give to an agent behave.
 */
export function researchTools(code: CodeBase): StructuredToolInterface[] {
  return [listPackages(code), listFiles(code), readSource(code), searchCode(code)];
}

const packageName = z.string().describe("Name of the package, such as zod");

function listPackages(code: CodeBase): StructuredToolInterface {
  return tool(
    () => {
      const lines = code.packages.map((each) => `${each.name} (${code.files(each).length} files)`);
      return `==> ${lines.length} packages <==\n${lines.join("\n")}`;
    },
    { name: "list_packages", description: "Lists the packages.", schema: z.object({}) },
  );
}

function listFiles(code: CodeBase): StructuredToolInterface {
  return tool(
    ({ package: name }) => {
      const each = code.find(name);
      if (each === undefined) return unknownPackage(name);
      const files = code.files(each);
      const lines = files.map((file) => `${file.bytes} ${file.path}`);
      return `==> ${name}: ${files.length} files, as "bytes path" <==\n${lines.join("\n")}`;
    },
    {
      name: "list_files",
      description: "Lists every file of a package with its size in bytes, sorted by path.",
      schema: z.object({ package: packageName }),
    },
  );
}

function readSource(code: CodeBase): StructuredToolInterface {
  return tool(
    ({ package: name, file }) => {
      const each = code.find(name);
      if (each === undefined) return unknownPackage(name);
      const text = code.read(each, file);
      if (text === undefined) return `${name} has no file ${file}. Call list_files to see its files.`;
      return `==> ${name}/${file} (${Buffer.byteLength(text)} bytes) <==\n${text}`;
    },
    {
      name: "read_source",
      description: "Reads a whole file of a package.",
      schema: z.object({
        package: packageName,
        file: z.string().describe("Path inside the package, such as package.json"),
      }),
    },
  );
}

function searchCode(code: CodeBase): StructuredToolInterface {
  return tool(
    ({ text, package: name }) => {
      const only = name === undefined ? undefined : code.find(name);
      if (name !== undefined && only === undefined) return unknownPackage(name);
      if (text === "") return "The text to search for is empty. Give at least one character.";
      const lines = (only === undefined ? code.packages : [only]).flatMap((each) => code.search(each, text));
      if (lines.length === 0) return `No source line contains ${text}`;
      return `==> ${lines.length} lines contain ${text} <==\n${lines.join("\n")}`;
    },
    {
      name: "search_code",
      description:
        "Finds every line of the source files (.js .cjs .mjs .ts .cts .mts) that contains a text, in one package or in all. Lines read package/file:line: text, sorted by package and path.",
      schema: z.object({
        text: z.string().describe("Exact text, matched case-sensitively"),
        package: packageName.optional(),
      }),
    },
  );
}

function unknownPackage(name: string): string {
  return `There is no package ${name}. Call list_packages to see the names.`;
}

// Violations that the rules have to report. Each changes the facts in memory; no file is written.

/** @returns {ReadonlyMap<string, string>} the sources with files added or replaced. */
function withFiles(sources, files) {
  return new Map([...sources, ...Object.entries(files)]);
}

const filler = "export const planted = 1;\n";
const newFolder = "packages/context/src/planted";

export const planted = [
  {
    rule: "files per folder",
    plant: (facts) => {
      const names = Array.from(
        { length: facts.folders.limit + 1 },
        (_, at) => `${newFolder}/planted-${at}.ts`,
      );
      return {
        ...facts,
        sources: withFiles(facts.sources, Object.fromEntries(names.map((name) => [name, filler]))),
      };
    },
    reported: `${newFolder} has 16 source files`,
  },
  {
    rule: "exceptions for folders only shrink",
    plant: (facts) => ({
      ...facts,
      folders: { ...facts.folders, exceptions: { ...facts.folders.exceptions, "packages/no/such": 40 } },
    }),
    reported: "packages/no/such has 0 source files and an exception for 40",
  },
  {
    rule: "arrows point downward",
    plant: (facts) => ({
      ...facts,
      sources: withFiles(facts.sources, {
        "packages/vfs/src/drivers/planted.ts":
          'import { VirtualFilesystem } from "../virtual-filesystem.js";\n',
      }),
    }),
    reported: "drivers may not import virtual-filesystem.ts",
  },
  {
    rule: "every folder has a layer",
    plant: (facts) => ({
      ...facts,
      sources: withFiles(facts.sources, {
        "packages/vfs/src/planted/planted.ts": 'import { FileError } from "../errors.js";\n',
      }),
    }),
    reported: "packages/vfs/src/planted is in no layer",
  },
  {
    rule: "exported names",
    plant: (facts) => {
      const index = "packages/langgraph/src/index.ts";
      const text = `${facts.sources.get(index)}export * from "./planted.js";\n`;
      const files = {
        [index]: text,
        "packages/langgraph/src/planted.ts": "export function plantedName() {}\n",
      };
      return { ...facts, sources: withFiles(facts.sources, files) };
    },
    reported: "exports plantedName, which is new",
  },
  {
    rule: "exported names that are gone",
    plant: (facts) => ({
      ...facts,
      exported: { ...facts.exported, langgraph: [...facts.exported.langgraph, "plantedName"] },
    }),
    reported: "no longer exports plantedName",
  },
  {
    rule: "two packages export no name together",
    plant: (facts) => ({
      ...facts,
      exported: { ...facts.exported, vfs: [...facts.exported.vfs, "compactionNode"] },
    }),
    reported: "both export compactionNode",
  },
  {
    rule: "the README names every export",
    plant: (facts) => ({ ...facts, readmes: { ...facts.readmes, langgraph: "" } }),
    reported: "packages/langgraph/README.md does not name compactionNode",
  },
  {
    rule: "a page names every option",
    plant: (facts) => {
      const index = "packages/langgraph/src/index.ts";
      const text = `${facts.sources.get(index)}export * from "./planted.js";\n`;
      const options = "export interface PlantedOptions {\n  readonly plantedOption?: number;\n}\n";
      const files = { [index]: text, "packages/langgraph/src/planted.ts": options };
      return { ...facts, sources: withFiles(facts.sources, files) };
    },
    reported: "no page names the option plantedOption",
  },
  {
    rule: "test projects share one configuration",
    plant: (facts) => ({
      ...facts,
      testConfigs: {
        ...facts.testConfigs,
        "packages/planted/vitest.config.ts": 'include: ["src/**/*.test.ts"]',
      },
    }),
    reported: "packages/planted/vitest.config.ts does not call testProject",
  },
  {
    rule: "one module appends to the archive",
    plant: (facts) => ({
      ...facts,
      sources: withFiles(facts.sources, {
        "packages/langgraph/src/tools/planted.ts": "await files.thread(id).archive.append(path, text);\n",
      }),
    }),
    reported: "packages/langgraph/src/tools/planted.ts appends to the archive in 1 places",
  },
];

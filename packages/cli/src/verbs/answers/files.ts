import { readState, ThreadReader } from "@palimpsest/inspector";
import { renderTable, terminalText } from "../../terminal-text.js";
import { columnsOf, type Verb, type VerbInput } from "../../verb.js";

const at: Verb["options"][number] = [
  "--at <step>",
  "a step, or the id of a checkpoint (default: the newest)",
];

/** Lists the files of a thread. */
export const files: Verb = {
  name: "files",
  description: "List the files of a thread: the workspace at a step, then the archive",
  args: ["<thread>"],
  options: [at],
  async run({ terminal, ...input }) {
    const { reader, id } = await opened(input);
    const data = (await reader.files(id)).toSorted((a, b) => Number(isArchived(a)) - Number(isArchived(b)));
    const cells = data.map((file) => [
      file.path,
      file.size,
      file.modifiedAt === "" ? "archive" : file.modifiedAt,
    ]);
    const text = renderTable(["path", "bytes", "modified"], cells, columnsOf({ terminal }));
    return { data, text: data.length === 0 ? "There are no files at this step.\n" : text };
  },
};

/** Prints one file of a thread. */
export const cat: Verb = {
  name: "cat",
  description: "Print a file of the workspace at a step, or of the archive",
  args: ["<thread>", "<path>"],
  options: [at],
  async run(input) {
    const { reader, id } = await opened(input);
    const path = input.args[1] ?? "";
    const text = await reader.wholeFile(id, path);
    return { data: { path, text }, text: `${terminalText(text)}${text.endsWith("\n") ? "" : "\n"}` };
  },
};

async function opened({ saver, args: [threadId = ""], options }: Omit<VerbInput, "terminal">) {
  const { id } = await readState(saver, threadId, options["at"] as string | undefined);
  return { reader: new ThreadReader(saver, threadId), id };
}

function isArchived({ modifiedAt }: { readonly modifiedAt: string }): boolean {
  return modifiedAt === "";
}

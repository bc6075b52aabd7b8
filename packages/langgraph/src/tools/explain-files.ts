import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import type { Archive, ThreadFiles } from "@palimpsest/vfs";
import { laneProvenance } from "../lanes/lane-provenance.js";
import type { Reporter } from "../run/reporter.js";

/** A call of a tool over the files of a thread. */
interface FileCall {
  /** Name of the tool. */
  readonly name: string;
  /** The file that it was asked for, if it was asked for one. */
  readonly path: unknown;
  readonly messages: readonly BaseMessage[];
  readonly files: ThreadFiles;
  /** Name of the agent's lane. */
  readonly lane: string | undefined;
  readonly report: () => Reporter;
}

const sameFiles =
  "A stand-in of this context names the file, but the files of this tool do not have it. Its developer has to pass the same " +
  "files to the tools and to the compaction.";

const notShared = "Another agent has archived it, and does not share its originals: ask that agent.";

/**
 * Returns what a tool says, with of whom the files of other agents are that it names, and with why the file of a stand-in is not
 * there. Tells once in a thread of tools that do not have the files of the node.
 */
export async function explained(said: string, call: FileCall): Promise<string> {
  const { name, messages, lane, files, report } = call;
  const missing = await missingFile(said, call);
  if (missing === "not-shared") return `${said}\n${notShared}`;
  if (missing === undefined) {
    const sources = said.startsWith("Error:") ? [] : await laneProvenance(said, lane, files);
    return [said, ...sources].join("\n");
  }
  if (!messages.some((message) => message.text.includes(sameFiles)))
    report().fail("wiring", new Error(`${name}: ${sameFiles}`));
  return `${said}\n${sameFiles}`;
}

/**
 * Returns why there is no file at a path that a stand-in of the context names: the archive does not have it, or it is in the lane of
 * an agent that does not share it. Undefined for every other path, and for every other error.
 */
async function missingFile(
  said: string,
  { path, messages, files: { archive, readable } }: FileCall,
): Promise<"other-files" | "not-shared" | undefined> {
  if (!said.startsWith("Error:") || typeof path !== "string") return undefined;
  if (!messages.some((message) => [foldOf(message)?.path, foldOf(message)?.record].includes(path)))
    return undefined;
  if (await holds(readable, path)) return undefined;
  return (await holds(archive, path)) ? "not-shared" : "other-files";
}

async function holds(archive: Archive, path: string): Promise<boolean> {
  return archive.readText(path).then(
    () => true,
    () => false,
  );
}

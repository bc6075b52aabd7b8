import type { RunnableConfig } from "@langchain/core/runnables";
import { ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { mergeFiles } from "@palimpsest/vfs";
import type { Files, FilesUpdate } from "@palimpsest/vfs";
import { z } from "zod";
import type { VfsSaver } from "../saver/vfs-saver.js";

/** The workspace as a channel. */
export const filesValue = new ReducedValue(
  z.custom<Files>().default(() => ({})),
  {
    inputSchema: z.custom<FilesUpdate>(),
    reducer: (current: Files, update: FilesUpdate) => mergeFiles(current, update),
  },
);

/** Contents by path. */
export type Contents = Readonly<Record<string, string>>;

/** Writes these contents to the workspace and returns the update of the channel. */
export async function written(saver: VfsSaver, files: Files, contents: Contents): Promise<FilesUpdate> {
  const { workspace } = saver.files.thread("any", files);
  for (const [path, content] of Object.entries(contents)) {
    const { error } = await workspace.write(path, content);
    if (error !== undefined) throw new Error(error);
  }
  return workspace.changes;
}

/** A graph with one node, which writes the files in its input. */
export function notebook(saver: VfsSaver) {
  const State = new StateSchema({ files: filesValue, todo: z.custom<Contents>().default(() => ({})) });
  return new StateGraph(State)
    .addNode("work", async ({ files, todo }) => ({ files: await written(saver, files, todo) }))
    .addEdge(START, "work")
    .compile({ checkpointer: saver });
}

/** Returns the contents of a workspace. Throws when a file cannot be read. */
export async function contentsOf(saver: VfsSaver, files: Files): Promise<Contents> {
  const { workspace } = saver.files.thread("any", files);
  const contents: [string, string][] = [];
  for (const path of Object.keys(files).sort()) {
    const { data, error } = await workspace.readRaw(path);
    if (!data) throw new Error(error);
    contents.push([path, String(data.content)]);
  }
  return Object.fromEntries(contents);
}

/** Returns the contents of the workspace at a checkpoint, or at a thread's newest. */
export async function contentsAt(saver: VfsSaver, config: RunnableConfig): Promise<Contents> {
  const { values } = await notebook(saver).getState(config);
  return contentsOf(saver, values.files ?? {});
}

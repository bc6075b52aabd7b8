// Writes steps to threads and prints each acknowledged step. The durability tests run it as a process.
import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { mergeFiles } from "@palimpsest/vfs";
import type { Files } from "@palimpsest/vfs";
import { VfsSaver } from "../saver/vfs-saver.js";
import { contentOf, noteAt } from "./written-content.js";

interface WriterOptions {
  /** Files and urls of databases. Every thread is written to each. */
  readonly targets: readonly string[];
  readonly threads: readonly string[];
  /** The number of steps of a thread. */
  readonly steps: number;
}

const options: WriterOptions = JSON.parse(process.argv[2] ?? "{}");

async function open(target: string): Promise<VfsSaver> {
  return target.startsWith("postgres")
    ? VfsSaver.fromPostgres(target, { connections: 3 })
    : VfsSaver.fromPath(target);
}

async function writeThread(saver: VfsSaver, target: string, threadId: string): Promise<void> {
  const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
  let config: RunnableConfig = tuple?.config ?? { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  let messages = (tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[];
  let files = (tuple?.checkpoint.channel_values["files"] ?? {}) as Files;
  let version = tuple?.checkpoint.channel_versions["messages"] as number | undefined;
  for (let step = messages.length; step < options.steps; step++) {
    const message = new AIMessage({ content: contentOf(threadId, step), id: `${threadId}-${step}` });
    const { archive, workspace } = saver.files.thread(threadId, files);
    const isFollowing = config.configurable?.["checkpoint_id"] !== undefined;
    if (isFollowing)
      await saver.putWrites(config, [["messages", [message]]], `task-${step}`, "~__pregel_pull, step");
    await archive.append(`/context/history/${step}.md`, contentOf(threadId, step));
    await workspace.write(noteAt(step), contentOf(threadId, step));
    messages = [...messages, message];
    files = mergeFiles(files, workspace.changes);
    version = saver.getNextVersion(version);
    const checkpoint = {
      v: 4,
      id: uuid6(step),
      ts: new Date().toISOString(),
      channel_values: { messages, files },
      channel_versions: { messages: version, files: version },
      versions_seen: {},
    };
    config = await saver.put(
      config,
      checkpoint,
      { source: "loop", step, parents: {} },
      { messages: version, files: version },
    );
    process.stdout.write(`${JSON.stringify([target, threadId, step])}\n`);
  }
}

await Promise.all(
  options.targets.map(async (target) => {
    const saver = await open(target);
    await Promise.all(options.threads.map(async (threadId) => writeThread(saver, target, threadId)));
    await saver.close();
  }),
);

import { type BaseMessage } from "@langchain/core/messages";
import { unfold } from "@palimpsest/context";
import { type VirtualFilesystem } from "@palimpsest/vfs";
import { type Recorder, asJson } from "./recorder.js";

/** What a comparison of the unfolded threads with the recorded ones found. */
export interface Comparison {
  /** Messages in all threads after every fold was undone. */
  readonly messages: number;
  /** True when every thread is, message for message and byte for byte, what the model and the tools produced. */
  readonly isIdentical: boolean;
  /** The first difference of each thread that differs. */
  readonly differences: readonly string[];
}

/** Returns the comparison of every thread, unfolded completely, with what the recorder kept aside. */
export async function compareThreads(recorder: Recorder, files: VirtualFilesystem): Promise<Comparison> {
  const differences: string[] = [];
  let messages = 0;
  for (const [threadId, context] of recorder.contexts) {
    const { archive } = files.thread(threadId);
    const unfolded = await unfold(context, (path) => archive.readText(path));
    messages += unfolded.length;
    const difference = firstDifference(unfolded, recorder.threads.get(threadId) ?? []);
    if (difference !== undefined) differences.push(`${threadId}: ${difference}`);
  }
  return { messages, isIdentical: messages > 0 && differences.length === 0, differences };
}

function firstDifference(
  unfolded: readonly BaseMessage[],
  produced: readonly { readonly json: string }[],
): string | undefined {
  const texts = unfolded.map(asJson);
  const index = texts.findIndex((text, at) => text !== produced[at]?.json);
  if (index >= 0) {
    return `message ${index + 1} is ${shown(texts[index])}, produced was ${shown(produced[index]?.json)}`;
  }
  if (texts.length === produced.length) return undefined;
  return `${texts.length} messages, but ${produced.length} were produced`;
}

function shown(text: string | undefined): string {
  return text === undefined ? "nothing" : text.slice(0, 300);
}

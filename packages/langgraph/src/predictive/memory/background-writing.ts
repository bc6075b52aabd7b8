import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { messageText } from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import type { SummaryModel } from "../../options/context-options.js";
import type { Reporter } from "../../run/reporter.js";
import { summaryDeadline } from "../../summary/deadline.js";
import { summaryCallOptions } from "../../summary/summary-usage.js";

/** Dependencies of a summary that a model writes in the background. */
export interface BackgroundWriting {
  readonly model: SummaryModel | undefined;
  /** The archive that the model's input comes from and its output goes to. */
  readonly archive: Archive;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that one call may take. */
  readonly summaryTimeoutMs: number;
}

interface BackgroundCall extends Pick<BackgroundWriting, "signal" | "summaryTimeoutMs"> {
  readonly model: SummaryModel;
}

/**
 * Returns the trimmed text of a summary model's answer.
 *
 * The call is tagged, so that its tokens never reach the user's message stream.
 * @throws the model's error, the signal's reason, or an Error after `summaryTimeoutMs`.
 */
export async function askInBackground(prompt: string, text: string, call: BackgroundCall): Promise<string> {
  const { model, signal, summaryTimeoutMs } = call;
  signal?.throwIfAborted();
  const time = summaryDeadline(summaryTimeoutMs, signal);
  try {
    const messages = [new SystemMessage(prompt), new HumanMessage(text.toWellFormed())];
    const reply = await time.within(model.invoke(messages, summaryCallOptions(time.signal)));
    return messageText(reply).trim();
  } finally {
    time.end();
  }
}

/** Returns whether the run that asked for the writing is aborted. */
export function isAborted({ signal }: Pick<BackgroundWriting, "signal">): boolean {
  return signal?.aborted === true;
}

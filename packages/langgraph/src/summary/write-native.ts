import { AIMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { toolCalls, type Rewrite } from "@palimpsest/context";
import {
  applyNative,
  contentBlocks,
  isNativeBlock,
  isNativeCompaction,
  type SummaryTokens,
} from "@palimpsest/context/internal";
import { reportFailure, ofModelCall } from "../run/error-policy.js";
import type { CompactionReason } from "../context-event.js";
import type { NativeCompactor } from "../options/native-compactor.js";
import type { Reporter } from "../run/reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { summaryDeadline } from "./deadline.js";
import { summaryCallOptions, SummaryMeter } from "./summary-usage.js";

interface WriteNativeOptions {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  readonly reason: CompactionReason;
  /** Index of the first message that stays: a legal cut point. */
  readonly cut: number;
  /** Returns true if a context is short enough. */
  readonly fits: (messages: readonly BaseMessage[]) => boolean;
}

/** A rewrite with a provider's compaction in place of a summary, and the tokens of its call. */
export interface WrittenNative {
  readonly rewrite: Rewrite;
  readonly usage: SummaryTokens | undefined;
}

/**
 * Asks the agent's provider to compact the messages before the cut, exactly as they are sent. Undefined if it does not, or if
 * its compaction is too large: then the caller writes a summary.
 *
 * Throws only when the run was aborted or interrupted.
 */
export async function writeNative(
  messages: readonly BaseMessage[],
  { cut, reason, fits, ...asking }: WriteNativeOptions,
): Promise<WrittenNative | undefined> {
  const { options, report, signal } = asking;
  const { compactNatively: compact } = options;
  if (compact === undefined) return undefined;
  const meter = new SummaryMeter();
  try {
    const carrier = carrierOf(await ask(messages.slice(0, cut), compact, { ...asking, meter }));
    const rewrite = applyNative(messages, { ...options, cut, carrier, reason });
    if (!fits(rewrite.messages)) throw new Error("The compaction of the provider frees too little");
    return { rewrite, usage: meter.total };
  } catch (error) {
    reportFailure(ofModelCall(error), { signal, report }, { rung: "summary", next: "separate" });
    return undefined;
  } finally {
    const usage = meter.total;
    if (usage !== undefined) report.send({ type: "context.summary", usage, threadId: report.threadId });
  }
}

type Asking = Pick<WriteNativeOptions, "options" | "signal"> & { readonly meter: SummaryMeter };

async function ask(
  messages: readonly BaseMessage[],
  compact: NativeCompactor,
  { options, signal, meter }: Asking,
): Promise<BaseMessage> {
  const {
    systemPrompt = "",
    systemMessage = new SystemMessage(systemPrompt),
    tools,
    summaryTimeoutMs,
  } = options;
  // An agent sends no system message without text.
  const system = systemMessage.text === "" ? [] : [systemMessage];
  const time = summaryDeadline(summaryTimeoutMs, signal);
  try {
    const call = {
      ...summaryCallOptions(time.signal),
      ...(tools === undefined ? {} : { tools: [...tools] }),
    };
    return await meter.count(time.within(compact([...system, ...messages], call)), (reply) => reply);
  } finally {
    time.end();
  }
}

/** Metadata that a LangChain package needs to send a block back. */
const carriedMetadata: ReadonlySet<string> = new Set([
  "model_provider",
  "model",
  "model_name",
  "output",
  "output_version",
]);

/** Returns a message with only the block. Stop reason and usage belong to the call, not to the thread. */
function carrierOf(reply: BaseMessage): BaseMessage {
  const others = contentBlocks(reply).filter((block) => !isNativeBlock(block));
  if (!isNativeCompaction(reply) || others.length > 0 || toolCalls(reply).length > 0) {
    throw new Error("The provider returned something other than a compaction");
  }
  const metadata = Object.entries(reply.response_metadata).filter(([key]) => carriedMetadata.has(key));
  const { tool_outputs: outputs } = reply.additional_kwargs;
  return new AIMessage({
    content: reply.content,
    additional_kwargs: outputs === undefined ? {} : { tool_outputs: outputs },
    response_metadata: Object.fromEntries(metadata),
  });
}

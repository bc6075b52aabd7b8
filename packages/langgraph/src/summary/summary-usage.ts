import type { BaseMessage } from "@langchain/core/messages";
import { nativeUsage, promptTokens, usageOf, type SummaryTokens } from "@palimpsest/context/internal";
import type { SummaryCallOptions } from "../options/context-options.js";

/** Tag and run name of every call that writes a summary, for filters in `streamEvents` and in traces. */
const summaryTag = "palimpsest:summary";

/**
 * Returns the options of a call that writes a summary.
 *
 * `nostream` keeps its tokens out of the user's message stream. `metadata.category` bills it to the system, not to the
 * agent (SynthOrg, recommendation 3).
 */
export function summaryCallOptions(signal: AbortSignal): SummaryCallOptions {
  return {
    tags: ["nostream", "langsmith:nostream", summaryTag],
    metadata: { category: "system" },
    runName: summaryTag,
    signal,
  };
}

/** Adds up the tokens of the calls for one summary, including failed ones. */
export class SummaryMeter {
  readonly #total = { calls: 0, reportedCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  #model: string | undefined;

  /** Tokens so far; undefined before the first call. */
  get total(): SummaryTokens | undefined {
    const model = this.#model === undefined ? {} : { model: this.#model };
    return this.#total.calls === 0 ? undefined : { ...this.#total, ...model };
  }

  /**
   * Counts a call and, after its answer, the tokens that the provider reports, including those of its own compactions. Rejects
   * as the call does.
   */
  async count<Reply>(
    call: Promise<Reply>,
    messageOf: (reply: Reply) => BaseMessage | undefined,
  ): Promise<Reply> {
    this.#total.calls++;
    const reply = await call;
    const message = messageOf(reply);
    const usage = usageOf(message);
    if (usage === undefined) return reply;
    const passes = message && nativeUsage(message);
    this.#model = modelOf(message) ?? this.#model;
    this.#total.reportedCalls++;
    this.#total.inputTokens += promptTokens(usage) + (passes?.inputTokens ?? 0);
    this.#total.outputTokens += (usage.output_tokens ?? 0) + (passes?.outputTokens ?? 0);
    this.#total.cachedTokens += (usage.input_token_details?.cache_read ?? 0) + (passes?.cachedTokens ?? 0);
    return reply;
  }
}

function modelOf(message: BaseMessage | undefined): string | undefined {
  const { model, model_name: name = model } = (message?.response_metadata ?? {}) as Record<string, unknown>;
  return typeof name === "string" ? name : undefined;
}

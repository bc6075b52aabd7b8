import type { BaseMessage } from "@langchain/core/messages";

/** The summary model refused to answer, as a `ModelRefusalError` of `@langchain/core` 1.4 says, which older versions do not have. */
class RefusedSummaryError extends Error {
  override readonly name = "ModelRefusalError";
}

/**
 * Throws if a message is a refusal: providers report it as an answer, whose text is empty or explains it.
 * @throws an error that {@link isRefusal} recognizes
 */
export function throwIfRefused(message: BaseMessage | undefined): void {
  const reason = message === undefined ? undefined : refusalIn(message);
  if (reason !== undefined)
    throw new RefusedSummaryError(`The summary model refused to answer${reason === "" ? "" : `: ${reason}`}`);
}

/** True for a refusal, thrown here or by a model: the same call would be refused again. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "ModelRefusalError";
}

function refusalIn({
  content,
  additional_kwargs: kwargs,
  response_metadata,
}: BaseMessage): string | undefined {
  const blocks = Array.isArray(content) ? content : [];
  const block = blocks.find(({ type }) => type === "refusal") as { refusal?: unknown } | undefined;
  const { stop_reason: reason, stop_details: details } = (response_metadata ?? {}) as {
    stop_reason?: unknown;
    stop_details?: { explanation?: unknown } | null;
  };
  const said = [
    block?.refusal,
    kwargs?.["refusal"],
    reason === "refusal" ? (details?.explanation ?? "") : undefined,
  ];
  return said.find((text) => typeof text === "string");
}

// oxlint-disable no-underscore-dangle -- the names of LangChain's methods
import { ChatAnthropic, type ChatAnthropicInput } from "@langchain/anthropic";
import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import type { SummaryModel } from "@palimpsest/langgraph/types";

type NativeCallOptions = NonNullable<Parameters<NonNullable<SummaryModel["compactNatively"]>>[1]>;

const beta = "compact-2026-09-04";

/**
 * A `ChatAnthropic` that can ask Anthropic to compact, for `summaryModel: "native"`.
 *
 * `@langchain/anthropic` 1.5.11 sends a compaction block back as its type and its text, and the API refuses a block without
 * its signature. This class passes the whole block through the field with the text, and unpacks it in the request.
 */
export class CompactingAnthropic extends ChatAnthropic {
  constructor(fields: ChatAnthropicInput) {
    super({ ...fields, betas: [...new Set([...(fields.betas ?? []), beta])] as never });
  }

  async compactNatively(
    messages: BaseMessage[],
    { tools = [], ...options }: NativeCallOptions = {},
  ): Promise<BaseMessage> {
    const asking = new CompactingAnthropic({
      ...(this.lc_kwargs as ChatAnthropicInput),
      streaming: false,
      invocationKwargs: { ...this.invocationKwargs, compaction: { type: "summarize" } },
    });
    return (tools.length === 0 ? asking : asking.bindTools(tools as never)).invoke(messages, options);
  }

  override _generate(...[messages, ...rest]: Parameters<ChatAnthropic["_generate"]>) {
    return super._generate(messages.map(packed), ...rest);
  }

  override _streamResponseChunks(...[messages, ...rest]: Parameters<ChatAnthropic["_streamResponseChunks"]>) {
    return super._streamResponseChunks(messages.map(packed), ...rest);
  }

  override _streamChatModelEvents(
    ...[messages, ...rest]: Parameters<ChatAnthropic["_streamChatModelEvents"]>
  ) {
    return super._streamChatModelEvents(messages.map(packed), ...rest);
  }

  protected override completionWithRetry(
    ...[request, options]: Parameters<ChatAnthropic["completionWithRetry"]>
  ): ReturnType<ChatAnthropic["completionWithRetry"]> {
    return super.completionWithRetry(unpacked(request), options);
  }

  protected override createStreamWithRetry(
    ...[request, options]: Parameters<ChatAnthropic["createStreamWithRetry"]>
  ): ReturnType<ChatAnthropic["createStreamWithRetry"]> {
    return super.createStreamWithRetry(unpacked(request), options);
  }
}

interface CompactionBlock {
  readonly type: "compaction";
  readonly content: unknown;
}

function isCompaction(block: unknown): block is CompactionBlock {
  return typeof block === "object" && block !== null && (block as { type?: unknown }).type === "compaction";
}

const pack = (block: unknown) =>
  isCompaction(block) && typeof block.content === "string" ? { type: "compaction", content: block } : block;

const unpack = (block: unknown) =>
  isCompaction(block) && typeof block.content === "object" ? block.content : block;

/** Puts each compaction block into its own text field: the package copies that field whatever it is. */
function packed(message: BaseMessage): BaseMessage {
  const { content } = message;
  if (typeof content === "string" || !content.some(isCompaction)) return message;
  return copyMessage(message, { content: content.map(pack) });
}

/** Takes each compaction block out of its text field again. */
function unpacked<Request extends { readonly messages: readonly { readonly content: unknown }[] }>(
  request: Request,
): Request {
  const messages = request.messages.map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(unpack) } : message,
  );
  return { ...request, messages };
}

import { HumanMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import type { MessageRecord, Trajectory } from "../data/trajectory.js";

/** A recorded prompt, without system prompt and tool schemas, which were not recorded. */
export interface RecordedPrompt {
  /** The model's messages carry the usage that was reported for them, as they do in a live thread. */
  readonly messages: readonly BaseMessage[];
  /** Tokens that the provider reported. */
  readonly inputTokens: number;
  /** Calls before it since the run or its last recorded compaction began. */
  readonly call: number;
}

/** Returns the recorded prompts of a run. After a recorded compaction the prompt begins with its summary. */
export function recordedPrompts({
  messages,
  records,
  compactions = [],
}: Trajectory): readonly RecordedPrompt[] {
  const prompts: RecordedPrompt[] = [];
  let sent: BaseMessage[] = [];
  let call = 0;
  for (const [index, message] of messages.entries()) {
    const compaction = compactions.find(({ before }) => before === index);
    if (compaction !== undefined) {
      sent = [new HumanMessage({ id: `summary-${index}`, content: compaction.summary })];
      call = 0;
    }
    const record = records?.get(message.id ?? "");
    if (isAi(message) && record?.inputTokens !== undefined) {
      prompts.push({ messages: [...sent], inputTokens: record.inputTokens, call });
      call++;
    }
    sent.push(isAi(message) ? withRecord(message, record) : message);
  }
  return prompts;
}

function withRecord(message: AIMessage, record: MessageRecord | undefined): AIMessage {
  const { inputTokens, thinking } = record ?? {};
  if (inputTokens === undefined && thinking === undefined) return message;
  const usage = inputTokens ?? 0;
  return copyMessage(message, {
    ...(inputTokens === undefined
      ? {}
      : { usage_metadata: { input_tokens: usage, output_tokens: 0, total_tokens: usage } }),
    ...(thinking === undefined ? {} : { additional_kwargs: { reasoning_content: thinking } }),
  });
}

import { HumanMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import type { MessageRecord, Trajectory } from "../data/trajectory.js";
import type { MeteredPrompt } from "./metered-prompt.js";

/** Calls of a run, or of what follows a compaction, before anything is asked of a meter. */
const learningCalls = 2;
/** A fold is asked about at every tenth call from the 20th on. */
const folds = { from: 20, every: 10, shrunkTo: 1 / 3 };

/**
 * Returns the prompts of a recorded run whose usage was reported. Right after a fold is a prompt of the same run that was a
 * third as long, asked for with what was known at the later call: its usage was reported as well, and is withheld.
 */
export function recordedPrompts(trajectory: Trajectory): readonly MeteredPrompt[] {
  const sent = sentPrompts(trajectory);
  return sent.flatMap((prompt, at) => {
    const { messages, inputTokens, call } = prompt;
    const before = sent[at - 1];
    const grown: MeteredPrompt[] =
      before === undefined || call < learningCalls
        ? []
        : [{ situation: "as it grows", messages, inputTokens, before }];
    const isFolded = call >= folds.from && call % folds.every === 0;
    const earlier = isFolded ? sent[at - call + Math.round(folds.shrunkTo * call)] : undefined;
    if (earlier === undefined) return grown;
    const shrunk = { messages: earlier.messages.map(withoutUsage), inputTokens: earlier.inputTokens };
    return [...grown, { situation: "right after a fold", ...shrunk, before: prompt }];
  });
}

interface SentPrompt {
  readonly messages: readonly BaseMessage[];
  readonly inputTokens: number;
  /** Calls before it since the run or its last recorded compaction began. */
  readonly call: number;
}

/** Returns the recorded prompts of a run. After a recorded compaction the prompt begins with its summary. */
function sentPrompts({ messages, records, compactions = [] }: Trajectory): readonly SentPrompt[] {
  const prompts: SentPrompt[] = [];
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

function withoutUsage(message: BaseMessage): BaseMessage {
  return isAi(message) ? copyMessage(message, { usage_metadata: undefined }) : message;
}

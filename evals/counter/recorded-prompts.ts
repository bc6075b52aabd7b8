import { HumanMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import type { MessageRecord, Trajectory } from "../data/trajectory.js";
import { withUsage, type MeteredPrompt } from "./metered-prompt.js";

/** Calls of a run, or of what follows a compaction, before anything is asked of a meter. */
const learningCalls = 2;
/** A fold is asked about at every tenth call from the 20th on. */
const folds = { from: 20, every: 10, shrunkTo: 1 / 3 };

/**
 * Returns what a meter is asked of a recorded run. Right after a fold is a prompt of the same run that was a
 * third as long, asked for with what was known at the later call: its usage was reported as well, and is withheld.
 */
export function recordedPrompts(sent: readonly SentPrompt[]): readonly MeteredPrompt[] {
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

/** A prompt of a recorded run, and what was reported for it. */
export interface SentPrompt {
  /** Id of the message that answered it. */
  readonly replyId: string;
  readonly messages: readonly BaseMessage[];
  readonly inputTokens: number;
  /** Calls before it since the run or its last recorded compaction began. */
  readonly call: number;
  /** The model that it was sent to, where that is recorded. */
  readonly model?: string;
}

/** Returns the prompts of a recorded run with their reported usage. After a recorded compaction the prompt begins with its summary. */
export function sentPrompts({ messages, records, compactions = [] }: Trajectory): readonly SentPrompt[] {
  const prompts: SentPrompt[] = [];
  let sent: BaseMessage[] = [];
  let call = 0;
  for (const [index, message] of messages.entries()) {
    const compaction = compactions.find(({ before }) => before === index);
    if (compaction !== undefined) {
      sent = [new HumanMessage({ id: `summary-${index}`, content: compaction.summary })];
      call = 0;
    }
    const { id: replyId = "" } = message;
    const record = records?.get(replyId);
    const { inputTokens } = record ?? {};
    if (isAi(message) && inputTokens !== undefined) {
      prompts.push({ replyId, messages: [...sent], inputTokens, call });
      call++;
    }
    sent.push(isAi(message) ? withRecord(message, record) : message);
  }
  return prompts;
}

function withRecord(message: AIMessage, record: MessageRecord | undefined): AIMessage {
  const { inputTokens, thinking } = record ?? {};
  if (inputTokens === undefined && thinking === undefined) return message;
  const reported = inputTokens === undefined ? message : withUsage(message, { inputTokens });
  if (thinking === undefined) return reported;
  return copyMessage(reported, { additional_kwargs: { reasoning_content: thinking } });
}

function withoutUsage(message: BaseMessage): BaseMessage {
  return isAi(message) ? copyMessage(message, { usage_metadata: undefined }) : message;
}

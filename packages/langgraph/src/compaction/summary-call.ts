import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { answerOf, messageText, summaryAnswerSchema, type SummaryPatch } from "@palimpsest/context";
import { z } from "zod";
import type { Deadline } from "./deadline.js";
import { checkAnswer, proseFindings, readAnswer } from "./read-answer.js";
import type { SummaryModel } from "./summary-model.js";
import { repairPrompt, structuredNote } from "./summary-prompt.js";

/** Characters a token that a model's summary may have; prose has some four. */
const mostCharactersPerToken = 6;

export interface SummaryCall {
  readonly model: SummaryModel;
  readonly time: Deadline;
  /** What the model is asked; the system prompt first, where there is one. */
  readonly prompt: readonly BaseMessage[];
  /** Tokens that the answer may have. */
  readonly tokens: number;
  /** Binds the model to the schema of an answer. */
  readonly structured: boolean;
  /** Told when an answer could not be read and is asked for once more. */
  readonly onRepair: (error: Error) => void;
}

/**
 * Returns what one call of the summary model adds to the record.
 *
 * An answer that cannot be read is asked for once more, with the answer alone; prose that stays prose is taken as findings.
 * @throws Error when the answer is empty, too long or what the model was shown.
 */
export async function callSummaryModel(call: SummaryCall): Promise<SummaryPatch> {
  const { prompt, tokens, onRepair } = call;
  const asked = prompt.map(messageText).join("\n");
  const { text, patch } = await answer(call);
  if (patch !== undefined) return patch;
  checkAnswer(text, { asked, most: tokens * mostCharactersPerToken });
  const read = readAnswer(text);
  if (read !== undefined) return read;
  onRepair(new Error("The summary model returned neither JSON nor headings"));
  return repair(text, call);
}

async function repair(text: string, call: SummaryCall): Promise<SummaryPatch> {
  const system = call.prompt.find((message) => message.getType() === "system");
  const question = `${repairPrompt}\n\n<answer>\n${text.replace(/<(\s*\/?\s*)answer\b/gi, (_, slash: string) => `<${slash}_answer`)}\n</answer>`;
  const again = await answer({
    ...call,
    prompt: [...(system === undefined ? [] : [system]), new HumanMessage(question)],
  }).catch((error: unknown) => {
    if (call.time.signal.aborted) throw error;
    return { text: "", patch: undefined };
  });
  return again.patch ?? readAnswer(again.text) ?? proseFindings(text);
}

interface Answer {
  readonly text: string;
  /** Where the model has held to the schema. */
  readonly patch?: SummaryPatch | undefined;
}

async function answer({ model, time, prompt, structured, tokens }: SummaryCall): Promise<Answer> {
  // Tagged so that the tokens of a summary never reach the user's message stream.
  const options = { tags: ["nostream", "langsmith:nostream"], signal: time.signal };
  if (!structured || model.withStructuredOutput === undefined) {
    const reply = await time.within(model.invoke([...prompt], options));
    return { text: messageText(reply).trim() };
  }
  const bound = model.withStructuredOutput(schema, { name: "record", includeRaw: true });
  const noted = prompt.map((message) =>
    message.getType() === "system"
      ? new SystemMessage(`${messageText(message)}\n\n${structuredNote}`)
      : message,
  );
  const { raw, parsed } = (await time.within(bound.invoke(noted, options))) as {
    readonly raw?: BaseMessage;
    readonly parsed?: unknown;
  };
  const text = raw === undefined ? "" : messageText(raw).trim();
  const patch = answerOf(parsed);
  const said = patch === undefined ? 0 : Object.values(patch).flat().join("").length;
  if (said > tokens * mostCharactersPerToken) {
    throw new Error(
      `The summary has ${said} characters; at most ${tokens * mostCharactersPerToken} are useful`,
    );
  }
  return { text, patch: said > 0 ? patch : undefined };
}

const schema = z.toJSONSchema(summaryAnswerSchema, { target: "draft-7" }) as Record<string, unknown>;

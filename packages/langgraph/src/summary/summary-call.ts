import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { answerOf, messageText, summaryAnswerSchema, type SummaryPatch } from "@palimpsest/context/internal";
import { z } from "zod";
import { checkAnswer, proseFindings, readAnswer } from "./read-answer.js";
import type { SummaryModel } from "../options/context-options.js";
import type { Deadline } from "./deadline.js";
import { throwIfRefused } from "./model-refusal.js";
import { summaryCallOptions, type SummaryMeter } from "./summary-usage.js";
import { repairPrompt, structuredNote } from "./summary-prompt.js";

/** Characters per token that a summary may have; prose has about four. */
const maxCharactersPerToken = 6;

interface SummaryCall {
  readonly model: SummaryModel;
  readonly time: Deadline;
  /** The messages for the model; the system prompt first, if there is one. */
  readonly prompt: readonly BaseMessage[];
  /** Tokens that the answer may have. */
  readonly tokens: number;
  /** Binds the model to the schema of an answer. */
  readonly structured: boolean;
  /** Asks once more after prose. False where the host's own prompt may ask for prose: it would ask for it again. */
  readonly repairs: boolean;
  /** Counts the calls and what the provider reports of them. */
  readonly meter: SummaryMeter;
  /** Called if an answer cannot be parsed and the model is asked to repair it. */
  readonly onRepair: (error: Error) => void;
}

/**
 * Returns the patch of the record that one call of the summary model makes.
 *
 * An answer that cannot be parsed goes back once, without the conversation; if the second answer is prose, its lines count as
 * findings. @throws Error if the model refuses, or the answer is empty, too long or a copy of what the model was shown.
 */
export async function callSummaryModel(call: SummaryCall): Promise<SummaryPatch> {
  const { prompt, tokens, onRepair } = call;
  const asked = prompt.map(messageText).join("\n");
  const { text, patch } = await answer(call);
  if (patch !== undefined) return patch;
  checkAnswer(text, { asked, maxCharacters: tokens * maxCharactersPerToken });
  const read = readAnswer(text);
  if (read !== undefined) return read;
  if (!call.repairs) return proseFindings(text);
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
  /** Set when the answer follows the schema. */
  readonly patch?: SummaryPatch | undefined;
}

interface StructuredReply {
  readonly raw?: BaseMessage;
  readonly parsed?: unknown;
}

async function answer({ model, time, prompt, structured, tokens, meter }: SummaryCall): Promise<Answer> {
  const options = summaryCallOptions(time.signal);
  if (!structured || model.withStructuredOutput === undefined) {
    const reply = await meter.count(time.within(model.invoke([...prompt], options)), (message) => message);
    throwIfRefused(reply);
    return { text: messageText(reply).trim() };
  }
  const schema = z.toJSONSchema(summaryAnswerSchema(), { target: "draft-7" }) as Record<string, unknown>;
  const bound = model.withStructuredOutput(schema, { name: "record", includeRaw: true });
  const noted = prompt.map((message) =>
    message.getType() === "system"
      ? new SystemMessage(`${messageText(message)}\n\n${structuredNote}`)
      : message,
  );
  const reply = time.within(bound.invoke(noted, options)) as Promise<StructuredReply>;
  const { raw, parsed } = await meter.count(reply, (structuredReply) => structuredReply.raw);
  throwIfRefused(raw);
  const text = raw === undefined ? "" : messageText(raw).trim();
  const patch = answerOf(parsed);
  const said = patch === undefined ? 0 : Object.values(patch).flat().join("").length;
  if (said > tokens * maxCharactersPerToken) {
    throw new Error(
      `The summary has ${said} characters; at most ${tokens * maxCharactersPerToken} are useful`,
    );
  }
  return { text, patch: said > 0 ? patch : undefined };
}

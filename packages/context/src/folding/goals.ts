import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";
import { foldContextName, goalTag, saidText } from "./reply-directives.js";
import { foldUnits } from "./fold-units.js";

/** What the agent is working toward, as it was put at a step. */
export interface Goal {
  readonly text: string;
  /** Step at which it was set; 0 for what the user asked before the model said anything. */
  readonly step: number;
  /** Who set it. @default "user" at step 0, "model" after it */
  readonly by?: "user" | "model";
}

/** Goals that are remembered: the first one, and the newest of the others. */
const most = 6;

/**
 * Returns the goals of a thread, oldest first, the last one current: those known, and what the messages add to them.
 *
 * The first task of the user sets the first goal; small talk sets none (`isTask`). A later task replaces it when it
 * comes after a final answer, one without tool calls: what the user says while the agent works adds to its task. The
 * model sets goals by `<goal>` and by the `goal` of a `fold_context` call. Goals that were replaced are kept beside the
 * current one. Pure and idempotent.
 */
export function goalsOf(messages: readonly BaseMessage[], known: readonly Goal[] = []): readonly Goal[] {
  const texts = new Set(known.map(({ text }) => text));
  const found = statedGoals(messages, known).filter(({ text }) => !texts.has(text) && texts.add(text));
  if (found.length === 0) return known;
  // Steps are counted only where there is a goal to date: this runs at every step.
  const steps = stepsOf(messages);
  const goals = [
    ...known,
    ...found.map(({ text, by, message }): Goal => ({ text, step: steps.get(message) ?? 0, by })),
  ];
  return goals.length <= most ? goals : [...goals.slice(0, 1), ...goals.slice(1 - most)];
}

interface StatedGoal {
  readonly text: string;
  readonly by: "user" | "model";
  readonly message: BaseMessage;
}

function statedGoals(messages: readonly BaseMessage[], known: readonly Goal[]): readonly StatedGoal[] {
  const stated: StatedGoal[] = [];
  let hasTask = known.some(({ step, by }) => by === "user" || (by === undefined && step === 0));
  let isAnswered = false;
  for (const message of messages) {
    if (isAi(message)) {
      isAnswered = toolCalls(message).length === 0;
      stated.push(...goalsIn(message).map((text) => ({ text, by: "model" as const, message })));
    } else if (isSummary(message)) {
      // A stand-in does not say whether its last step was a final answer.
      isAnswered = false;
    } else if (message.getType() === "human" && (isAnswered || !hasTask)) {
      const text = messageText(message).trim();
      if (!isTask(text)) continue;
      stated.push({ text, by: "user", message });
      [hasTask, isAnswered] = [true, false];
    }
  }
  return stated;
}

/** The last step before the end of the unit of each message. */
function stepsOf(messages: readonly BaseMessage[]): ReadonlyMap<BaseMessage, number> {
  return new Map(
    foldUnits(messages).flatMap((unit) => unit.messages.map((message) => [message, unit.endStep] as const)),
  );
}

function goalsIn(message: BaseMessage): readonly string[] {
  if (!isAi(message)) return [];
  const called = toolCalls(message).flatMap(({ name, args }) =>
    name === foldContextName && typeof args["goal"] === "string" ? [args["goal"].trim()] : [],
  );
  return [goalTag(saidText(message)), ...called].filter(
    (goal) => goal !== undefined && goal !== "",
  ) as string[];
}

/** Words of which greetings, thanks, answers and offers to talk are made; none of them names anything to do. */
const smallTalk = new Set(
  (
    "hi hello hey hiya howdy yo greetings good morning afternoon evening night day dear there again all everyone team " +
    "thanks thank thx ty cheers much very so many lot a the for your you u please welcome bye goodbye see later soon " +
    "ok okay k sure yes yep yeah no nope great nice cool fine perfect awesome excellent amazing wonderful lovely well " +
    "done job work got it that this is was are am im i'm i how what's whats up sup going doing today do things hope " +
    "to meet be me my name friend bot assistant agent claude gpt sorry welcome back glad happy lol haha wow " +
    "can could may might would will help need some have question ask something quick with and " +
    "hallo guten tag morgen abend moin servus danke bitte schön vielen dank wie geht's geht es dir ihnen ja nein gut " +
    "bonjour salut bonsoir merci beaucoup ça va oui non bien " +
    "hola buenos buenas días dias tardes noches gracias muchas qué tal cómo estás sí si " +
    "ciao buongiorno buonasera grazie come stai va bene olá oi bom boa dia tarde obrigado obrigada tudo bem " +
    "hoi dag goedemorgen bedankt привет здравствуйте добрый день спасибо да нет नमस्ते धन्यवाद"
  ).split(" "),
);
/** Languages that write without spaces. */
const unspaced =
  /^(?:你好|您好|嗨|早上好|晚上好|谢谢|好的|再见|こんにちは|おはよう|ありがとう|ございます|안녕하세요|안녕|감사합니다|สวัสดี)+$/u;
/** Words that small talk has at most. */
const mostWords = 16;

/**
 * True for a text that states something to do or to find out; false for greetings, thanks, plain answers and texts
 * without words. Pure.
 *
 * Small talk is told by its words alone, in a few languages: what is not known to be small talk counts as a task.
 */
export function isTask(text: string): boolean {
  const words =
    text
      .slice(0, 400)
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu) ?? [];
  if (words.length === 0) return false;
  if (words.length > mostWords) return true;
  return words.some((word) => !smallTalk.has(word) && !unspaced.test(word));
}

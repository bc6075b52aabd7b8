import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { isSummary, isUserMessage } from "../folds/fold.js";
import { foldContextName, goalTag, saidText } from "./reply-directives.js";
import { foldUnits } from "./fold-units.js";
import { lazyRegExp } from "../once.js";

/** A goal of the agent, as stated at a step. */
export interface Goal {
  readonly text: string;
  /** Step at which it was set; 0 for a user task before the first model message. */
  readonly step: number;
  /** Who set it. @default "user" at step 0, "model" after it */
  readonly by?: "user" | "model";
}

/** Maximum goals to keep: the first one, and the newest of the others. */
const maxGoals = 6;

/**
 * Returns the goals of a thread, oldest first, the last one current: the `known` goals and new ones from the messages.
 *
 * The user's first task sets the first goal; small talk sets none (`isTask`). A later task sets a new goal only after a
 * final answer, which is a model message without tool calls; a user message during the work belongs to the current task.
 * The model sets goals by `<goal>` and by the `goal` of a `fold_context` call. Replaced goals stay in the list. Pure and
 * idempotent.
 */
export function goalsOf(messages: readonly BaseMessage[], known: readonly Goal[] = []): readonly Goal[] {
  const texts = new Set(known.map(({ text }) => text));
  const found = statedGoals(messages, known).filter(({ text }) => !texts.has(text) && texts.add(text));
  if (found.length === 0) return known;
  // Hot path, runs at every step: count steps only for new goals.
  const steps = stepsOf(messages);
  const goals = [
    ...known,
    ...found.map(({ text, by, message }): Goal => ({ text, step: steps.get(message) ?? 0, by })),
  ];
  return goals.length <= maxGoals ? goals : [...goals.slice(0, 1), ...goals.slice(1 - maxGoals)];
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
      // A summary does not record whether its last step was a final answer.
      isAnswered = false;
    } else if (isUserMessage(message) && (isAnswered || !hasTask)) {
      const text = messageText(message).trim();
      if (!isTask(text)) continue;
      stated.push({ text, by: "user", message });
      [hasTask, isAnswered] = [true, false];
    }
  }
  return stated;
}

/** Returns the last step of each message's unit. */
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

/** Words of greetings, thanks, short answers and offers to talk; none of them names a task. */
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
/** Small talk in languages without spaces. */
const unspaced =
  /^(?:你好|您好|嗨|早上好|晚上好|谢谢|好的|再见|こんにちは|おはよう|ありがとう|ございます|안녕하세요|안녕|감사합니다|สวัสดี)+$/u;
/** Maximum words of small talk. */
const maxWords = 16;
const word = lazyRegExp(String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}']*`, "gu");

/**
 * True for a text that states a task or a question; false for greetings, thanks, short answers and texts without words.
 * Pure.
 *
 * Recognizes small talk by a word list in a few languages; every other text counts as a task.
 */
export function isTask(text: string): boolean {
  const words = text.slice(0, 400).toLowerCase().replaceAll("’", "'").match(word()) ?? [];
  if (words.length === 0) return false;
  if (words.length > maxWords) return true;
  return words.some((word) => !smallTalk.has(word) && !unspaced.test(word));
}

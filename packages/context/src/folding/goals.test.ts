import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { foldBlocks } from "./fold-blocks.js";
import { goalsOf, isTask } from "./goals.js";

const user = (text: string) => new HumanMessage({ id: `u-${text}`, content: text });
const answer = (text: string) => new AIMessage({ id: `a-${text}`, content: text });
const acting = (id: string) =>
  new AIMessage({ id, content: "", tool_calls: [{ id: `call-${id}`, name: "open", args: {} }] });

/** Goals as a thread gets them: asked for after every message. */
function goalsAfter(messages: readonly BaseMessage[]) {
  return messages.reduce<ReturnType<typeof goalsOf>>(
    (known, _, index) => goalsOf(messages.slice(0, index + 1), known),
    [],
  );
}

describe("a task", () => {
  it.each([
    "Find every value.",
    "Who owned the harbour in 1931?",
    "Fix the login bug",
    "Hi! Please find the cheapest flight to Oslo.",
    "Resume the migration",
    "查一下港口的主人",
    "R-4711?",
    "thanks ".repeat(17),
  ])("a message that requests something is a task: %j", (text) => {
    expect(isTask(text)).toBe(true);
  });

  it.each([
    "Hi",
    "Hello there!",
    "good morning, how are you today?",
    "Hey, can you help me with something?",
    "I have a question.",
    "Thanks, that is great!",
    "ok",
    "Guten Morgen, wie geht's?",
    "¿Qué tal?",
    "你好！",
    "👋",
    "",
  ])("a greeting or small talk is not a task: %j", (text) => {
    expect(isTask(text)).toBe(false);
  });
});

describe("goals", () => {
  const greeted = [user("Hi there!"), answer("Hello, what can I do?")];

  it("the first goal is the first task, not a greeting", () => {
    expect(goalsOf(greeted)).toEqual([]);
    expect(goalsAfter([...greeted, user("Find the owner of the harbour.")])).toEqual([
      { text: "Find the owner of the harbour.", step: 1, by: "user" },
    ]);
  });

  it("a task after a final answer becomes the newest goal, and earlier goals stay", () => {
    const thread = [user("Find the owner."), acting("1"), answer("It is R-4711."), user("Thanks!")];
    const later = [...thread, answer("You are welcome."), user("Now draw a map of the harbour.")];
    expect(goalsAfter(thread)).toEqual([{ text: "Find the owner.", step: 0, by: "user" }]);
    expect(goalsAfter(later)).toEqual([
      { text: "Find the owner.", step: 0, by: "user" },
      { text: "Now draw a map of the harbour.", step: 3, by: "user" },
    ]);
  });

  it("a user message during the agent's work does not replace the goal", () => {
    const thread = [user("Find the owner."), acting("1"), user("Answer in French.")];
    expect(goalsAfter(thread).map(({ text }) => text)).toEqual(["Find the owner."]);
  });

  it("goals stay when their messages are folded into blocks", () => {
    const thread = [...greeted, user("Find the owner."), acting("1"), answer("R-4711."), user("Draw a map.")];
    const known = goalsAfter(thread);
    const { messages } = foldBlocks([...thread, acting("2"), answer("Drawn.")]);
    expect(goalsOf(messages, known)).toBe(known);
    expect(known.map(({ text }) => text)).toEqual(["Find the owner.", "Draw a map."]);
  });
});

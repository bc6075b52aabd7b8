import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";
import { foldPrompt, foldView } from "./fold-view.js";

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 64_000 };

describe("foldView", () => {
  it("returns three system messages in the order of the format, then the new user message", async () => {
    const { state } = await playFolding({
      steps: 4,
      say: (step) => (step === 3 ? "<goal>Find value 2</goal>" : ""),
    });
    const view = foldView(options)(state);
    expect(view.map((message) => message.getType())).toEqual(["system", "system", "system", "human"]);
    const [goal, summaries, latest] = view.map(({ text }) => text);
    expect(goal).toBe("[GOAL]\nFind value 2\nBefore, since step 0: Find every value.");
    expect(
      summaries
        ?.split("\n")
        .slice(1)
        .map((line) => line.slice(0, 16)),
    ).toEqual(["[S1 steps 1-1] L", "[S2 steps 2-2] L", "[S3 steps 3-3] L"]);
    expect(latest).toMatch(
      /^\[LATEST_INTERACTION\]\nstep=4\nexplanation: Looking at 4\.\naction: open \{"page":4\}\nobservation: row 0/,
    );
    expect(illegalities(view)).toEqual([]);
  });

  it("returns one system message if a provider allows no more, with the host's text first", async () => {
    const { messages } = await playFolding({ steps: 3 });
    const view = foldView({ ...options, systemMessages: "one" })({
      messages: [new SystemMessage("Be brief."), ...messages, new HumanMessage("And now the last one.")],
    });
    expect(view.map((message) => message.getType())).toEqual(["system", "human"]);
    expect(view[0]?.text).toMatch(
      /^Be brief\.\n\n\[GOAL\]\nFind every value\.\n\n\[MULTI_SCALE_STATE_SUMMARIES\]/,
    );
    expect(view[1]?.text).toBe("And now the last one.");
  });

  it("shows every user message", async () => {
    const { state } = await playFolding({
      steps: 9,
      user: (step) => (step === 2 ? "Never guess." : undefined),
    });
    expect(foldView(options)(state)[0]?.text).toContain("The user said: Never guess.");
  });

  it("works before the first AI message, and while results are missing", () => {
    expect(foldView(options)({ messages: [new HumanMessage("Go.")] }).map(({ text }) => text)).toEqual([
      "[GOAL]\nGo.",
      "Go.",
    ]);
    const call = new AIMessage({ content: "", tool_calls: [{ id: "a", name: "open", args: {} }] });
    const messages = [new HumanMessage("Go."), call, new ToolMessage({ content: "x", tool_call_id: "b" })];
    expect(foldView(options)({ messages })[1]?.text).toContain(
      "observation: (waiting for its result)\n---\nx",
    );
  });

  it("shows a reply without calls as a final answer", () => {
    const messages = [
      new HumanMessage("Go."),
      new AIMessage("It is seven."),
      new HumanMessage("And the other one?"),
    ];
    const texts = foldView(options)({ messages }).map(({ text }) => text);
    expect(texts.find((text) => text.startsWith("[LATEST_INTERACTION]"))).toBe(
      "[LATEST_INTERACTION]\nstep=1\nexplanation: It is seven.\naction: final answer\nobservation: ",
    );
    expect(texts.at(-1)).toBe("And the other one?");
  });
});

it("foldPrompt explains blocks, ranges and the directive form, the same on every call", () => {
  expect(foldPrompt("tool")).toContain("fold_context");
  expect(foldPrompt("text")).toContain("<context>");
  expect(foldPrompt("text")).toBe(foldPrompt("text"));
});

it("foldPrompt asks for the goal in both forms", () => {
  expect(foldPrompt("text")).toContain("<goal>the task in one sentence</goal>");
  expect(foldPrompt("tool")).toContain('give the new one as "goal"');
});

import { describe, expect, it } from "vitest";
import { ForeignMessage, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { applySummary } from "./apply-summary.js";
import { isSummary } from "../folds/fold.js";
import { planSummary, type PlanSummaryOptions } from "./plan-summary.js";

const step = [
  talk.calls("c", { a: ["ls"], b: ["ls"] }),
  talk.result("ra", "a", "1"),
  talk.result("rb", "b", "2"),
];
const thread = [
  talk.system("s", "rules"),
  talk.human("h1", "the goal"),
  ...step,
  talk.human("h2", "a detail"),
  talk.ai("e1", "noted"),
  talk.system("s2", "another rule"),
  talk.human("h3", "the latest"),
  talk.ai("e2", "working"),
  talk.ai("e3", "still working"),
];
const ids = (messages: readonly { id?: string | undefined }[] = []) => messages.map(({ id }) => id);
const plan = (options: PlanSummaryOptions, messages: Parameters<typeof planSummary>[0] = thread) => {
  const made = planSummary(messages, options);
  return (
    made && {
      head: ids(made.head),
      carried: ids(made.carried),
      folded: ids(made.folded),
      tail: ids(made.tail),
    }
  );
};

/** Returns the summary of the beginning of a thread. */
function firstSummary() {
  const first = planSummary([talk.ai("e0", "said"), ...step, ...thread.slice(6)], { cut: 4 });
  if (first === undefined) throw new Error("nothing to fold");
  const made = applySummary(first, { text: "said", tokenCounter: estimateTokens }).messages.find(isSummary);
  if (made === undefined) throw new Error("no summary");
  return made;
}

describe("planSummary without a user message before the first pinned call", () => {
  const second = [talk.calls("c2", { d: ["ls"] }), talk.result("rd", "d", "3")];
  const last = [talk.ai("e1", "noted"), talk.human("h3", "the latest")];

  it("planSummary leaves the stand-in before the call where it is", () => {
    const summary = firstSummary();
    const messages = [talk.system("s", "rules"), summary, ...second, ...last];
    expect(plan({ cut: 5, pin: ({ id }) => id === "rd" }, messages)).toEqual({
      head: ["s", summary.id],
      carried: ["c2", "rd"],
      folded: ["e1"],
      tail: ["h3"],
    });
  });

  it("planSummary folds a stand-in behind a user message, and one before a call that is not pinned", () => {
    const summary = firstSummary();
    const asked = [talk.human("h1", "the goal"), summary, ...second, ...last];
    expect(plan({ cut: 5, pin: ({ id }) => id === "rd" }, asked)).toMatchObject({
      head: [],
      folded: [summary.id, "e1"],
    });
    expect(plan({ cut: 4 }, [summary, ...second, ...last])?.folded).toEqual([summary.id, "c2", "rd", "e1"]);
  });
});

describe("planSummary", () => {
  it("planSummary carries user messages and later system messages over the folded part", () => {
    expect(plan({ cut: 10 })).toEqual({
      head: ["s"],
      carried: ["h1", "h2", "s2", "h3"],
      folded: ["c", "ra", "rb", "e1", "e2"],
      tail: ["e3"],
    });
  });

  it("planSummary folds user messages over the budget, oldest first, but never the first and the latest", () => {
    const room = estimateTokens([talk.human("h2", "a detail")]);
    expect(plan({ cut: 10, userTokens: 0 })?.carried).toEqual(["h1", "s2", "h3"]);
    expect(plan({ cut: 10, userTokens: room })?.carried).toEqual(["h1", "h2", "s2", "h3"]);
    const more = [...thread.slice(0, 6), talk.human("h2b", "a detail"), ...thread.slice(6)];
    expect(plan({ cut: 11, userTokens: room }, more)?.carried).toEqual(["h1", "h2b", "s2", "h3"]);
  });

  it("planSummary folds user messages over a number of messages, oldest first, but never the first and the latest", () => {
    const more = [...thread.slice(0, 6), talk.human("h2b", "a detail"), ...thread.slice(6)];
    // The head, a tail of one, the summary, and three user messages.
    expect(plan({ cut: 11, maxMessages: 6 }, more)?.carried).toEqual(["h1", "h2b", "s2", "h3"]);
    expect(plan({ cut: 11, maxMessages: 5 }, more)?.carried).toEqual(["h1", "s2", "h3"]);
    expect(plan({ cut: 11, maxMessages: 1 }, more)?.carried).toEqual(["h1", "s2", "h3"]);
  });

  it("planSummary leaves the latest user message in place when it is after the cut", () => {
    expect(plan({ cut: 7, userTokens: 0 })).toEqual({
      head: ["s"],
      carried: ["h1"],
      folded: ["c", "ra", "rb", "h2", "e1"],
      tail: ["s2", "h3", "e2", "e3"],
    });
  });

  it("planSummary keeps a pinned result with its call and the other results of that call", () => {
    expect(plan({ cut: 10, pin: ({ id }) => id === "rb" })?.carried).toEqual([
      "h1",
      "c",
      "ra",
      "rb",
      "h2",
      "s2",
      "h3",
    ]);
  });

  it("planSummary returns undefined when it would fold nothing new", () => {
    expect(plan({ cut: 0 })).toBeUndefined();
    expect(plan({ cut: 1 })).toBeUndefined();
    expect(plan({ cut: 2 })).toBeUndefined();
    expect(plan({ cut: 2 }, [talk.system("s", "x"), talk.system("s2", "y")])).toBeUndefined();
    expect(plan({ cut: 5, pin: () => true })).toBeUndefined();
    expect(planSummary([], { cut: 0 })).toBeUndefined();
  });

  it("planSummary folds an earlier summary only together with newer messages, pinned or not", () => {
    const first = planSummary(thread, { cut: 7 });
    if (first === undefined) throw new Error("nothing to fold");
    const { messages } = applySummary(first, { text: "said", tokenCounter: estimateTokens });
    const at = messages.findIndex(isSummary);
    expect(plan({ cut: at + 1 }, messages)).toBeUndefined();
    const pinned = {
      cut: messages.length,
      pin: (message: (typeof messages)[number]) => message.getType() === "human",
    };
    expect(planSummary(messages, pinned)?.folded.filter(isSummary)).toHaveLength(1);
    expect(planSummary(messages, pinned)?.carried.filter(isSummary)).toEqual([]);
  });
});

it("planSummary keeps the user message between two pinned replies, so that no two replies are adjacent", () => {
  const messages = [
    talk.human("h1", "first"),
    talk.ai("e1", "pinned"),
    talk.human("h2", "second"),
    talk.calls("c", { a: ["ls"] }),
    talk.result("r", "a", "pinned"),
    talk.ai("e2", "seen"),
    talk.human("h3", "third"),
    talk.ai("e3", "done"),
  ];
  const plan = planSummary(messages, {
    cut: 6,
    pin: ({ id }) => id === "e1" || id === "r",
    userTokens: 0,
  });
  expect(plan?.carried.map(({ id }) => id)).toEqual(["h1", "e1", "h2", "c", "r"]);
  expect(plan?.folded.map(({ id }) => id)).toEqual(["e2"]);
});

it("planSummary keeps a message with a custom role between two pinned replies", () => {
  const messages = [
    talk.human("h1", "first"),
    talk.ai("e1", "pinned"),
    new ForeignMessage({ id: "f", content: "go on" }),
    talk.calls("c", { a: ["ls"] }),
    talk.result("r", "a", "pinned"),
    talk.ai("e2", "seen"),
    talk.human("h2", "last"),
    talk.ai("e3", "done"),
  ];
  const plan = planSummary(messages, { cut: 6, pin: ({ id }) => id === "e1" || id === "c", userTokens: 0 });
  expect(plan?.carried.map(({ id }) => id)).toEqual(["h1", "e1", "f", "c", "r"]);
});

it("planSummary keeps a whole step when only that step separates two pinned replies", () => {
  const messages = [
    talk.human("h1", "first"),
    talk.ai("e1", "pinned"),
    talk.calls("c1", { a: ["ls"] }),
    talk.result("r1", "a", "parts the two"),
    talk.calls("c2", { b: ["ls"] }),
    talk.result("r2", "b", "pinned"),
    talk.human("h2", "last"),
    talk.ai("e2", "done"),
  ];
  const plan = planSummary(messages, { cut: 7, pin: ({ id }) => id === "e1" || id === "c2", userTokens: 0 });
  expect(plan).toBeUndefined();
  const longer = [...messages.slice(0, 2), talk.ai("e0", "seen"), ...messages.slice(2)];
  const left = planSummary(longer, { cut: 8, pin: ({ id }) => id === "e1" || id === "c2", userTokens: 0 });
  expect(left?.folded.map(({ id }) => id)).toEqual(["e0"]);
});

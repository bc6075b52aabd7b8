import { HumanMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";

const rules = [
  "Bitte niemals die Datei rohdaten.csv verändern.",
  "Ne touche jamais au dossier sauvegardes.",
  "请不要使用红色。",
  "The invoices of 2019 come first.",
];

/** Lets the user say a rule after every fifth step, folds 40 steps into one block, and keeps none of these words whole. */
async function play(userLineTokens?: number) {
  return playFolding({
    steps: 42,
    say: (step) => (step === 41 ? '<context>{"range":[1,40],"summary":"all listings agree"}</context>' : ""),
    user: (step) => (step % 5 === 0 ? `${rules[(step / 5 - 1) % rules.length]} (${step})` : undefined),
    options: {
      recentBlocks: 2,
      limits: { userMessages: 1, ...(userLineTokens === undefined ? {} : { userLines: userLineTokens }) },
    },
  });
}

it("folded messages of the user leave a line in the blocks that replace them, in any language and in their order", async () => {
  const { messages, opened, thread } = await play();
  const users = thread().filter(({ id }) => id?.startsWith("user-") === true);
  const left = users.filter(({ id }) => !messages.some((message) => message.id === id));
  expect(left.length).toBeGreaterThan(4);
  const said = messages.map(({ text }) => text).join("\n");
  const places = users.map((user) => said.indexOf(user.text));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect((await opened(messages)).map(({ data }) => data.id)).toEqual(thread().map(({ id }) => id));
});

it("the lines of the user in a block stay within their budget, and one line counts those that are left out", async () => {
  const { messages } = await play(40);
  const blocks = messages.flatMap((message) => foldOf(message)?.block ?? []);
  const sizes = blocks.map(({ userLines = [] }) => estimateTokens([new HumanMessage(userLines.join("\n"))]));
  expect(Math.max(...sizes)).toBeGreaterThan(20);
  expect(Math.max(...sizes)).toBeLessThan(50);
  expect(messages.map(({ text }) => text).join("\n")).toMatch(/\d+ older messages of the user/);
});

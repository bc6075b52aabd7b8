import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import { messageLines } from "../messages/message-lines.js";
import { historyArbitrary } from "../testing/index.js";
import { linesText, type IndexedChunk } from "./indexed-chunk.js";
import { renderExcerpt } from "./render-excerpt.js";
import { ReuseIndex } from "./reuse-index.js";
import { reuseWeights } from "./reuse-weights.js";
import { eachAtom, featureNames, scoreAtoms } from "./score-atoms.js";
import { selectContext } from "./select-context.js";

describe("atoms", () => {
  it("atoms are URLs, paths, numbers and code-like identifiers, not words", () => {
    const line =
      "Open https://a.dev/x?y=1 and src/lib/retry.ts, then set retryLimit to 10,000 in commit 3fa9c1d but not anything";
    expect(lineAtoms(line)).toEqual(
      expect.arrayContaining(["https://a.dev/x?y=1", "src/lib/retry.ts", "10,000", "3fa9c1d", "retryLimit"]),
    );
    expect(lineAtoms(line)).not.toContain("anything");
  });

  it("a line has the same atoms with and without a file viewer's line number", () => {
    const line = "export function retry(limit: number) {";
    expect(wholeLineAtom(`    12\t${line}`)).toBe(wholeLineAtom(`  ${line}`));
    expect(wholeLineAtom("short")).toBeUndefined();
  });
});

describe("lines of a message", () => {
  it("the lines of a message join to its text, with arguments as they stand in the file", () => {
    const args = { path: "/a.ts", old_string: 'say("one")\nsay("two")', new_string: "x", count: 2 };
    const message = new AIMessage({ content: "Editing.", tool_calls: [{ id: "1", name: "edit", args }] });
    const text = messageLines(message)
      .map(({ text: line, continues }, at) => (at > 0 && !continues ? "\n" : "") + line)
      .join("");
    expect(text).toBe(
      'Editing.\nedit {"path":"/a.ts","old_string":"say("one")\nsay("two")","new_string":"x","count":2}',
    );
    expect(messageLines(message).map(({ role }) => role)).toContain("old");
  });
});

function chunked(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  return messages.map((message) => [message]);
}

function shown(index: ReuseIndex, budget: number): readonly string[] {
  const { whole, excerpts } = selectContext(index, { budget });
  const chunk = (at: number) => index.chunks[at] as IndexedChunk;
  return [
    ...[...whole.keys()].map((at) => linesText(chunk(at), 0, chunk(at).lines.length)),
    ...[...excerpts].map(([at, blocks]) => renderExcerpt(chunk(at), blocks, `${at}-abcdef`)),
  ];
}

describe("a selection", () => {
  it("a selection never exceeds its budget, for any thread", () => {
    fc.assert(
      fc.property(historyArbitrary(), fc.integer({ min: 50, max: 4_000 }), (messages, budget) => {
        const index = new ReuseIndex();
        for (const chunk of chunked(messages)) index.append(chunk);
        const texts = shown(index, budget);
        expect(texts.reduce((sum, text) => sum + text.length / 4, 0)).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 60 },
    );
  });

  it("a selection is the same for the same chunks", () => {
    fc.assert(
      fc.property(historyArbitrary(), (messages) => {
        const made = [1, 2].map(() => {
          const index = new ReuseIndex();
          for (const chunk of chunked(messages)) index.append(chunk);
          return shown(index, 500);
        });
        expect(made[0]).toEqual(made[1]);
      }),
      { numRuns: 30 },
    );
  });

  it("a selection shows a file line that calls use repeatedly, and counts it once", () => {
    const index = new ReuseIndex();
    index.append([new HumanMessage("Fix the retries.")]);
    const path = "/src/retry_policy.ts";
    for (let step = 0; step < 40; step++) {
      const id = `c${step}`;
      const isEdit = step % 10 === 0;
      const args = isEdit ? { path } : { path: `/other/file_${step}.ts` };
      const rows = Array.from(
        { length: 30 },
        (_, row) => `  const value_${step}_${row} = ${step * 31 + row};`,
      );
      index.append([
        new AIMessage({ content: "", tool_calls: [{ id, name: "read", args }] }),
        new ToolMessage({ content: rows.join("\n"), tool_call_id: id }),
      ]);
    }
    const texts = shown(index, 1_500).join("\n");
    expect(texts.split(path).length - 1).toBe(1);
  });
});

it("an atom's score is the sum over its features", () => {
  fc.assert(
    fc.property(historyArbitrary(), (messages) => {
      const index = new ReuseIndex();
      for (const chunk of chunked(messages)) index.append(chunk);
      scoreAtoms(index);
      eachAtom(index, (atom, features) => {
        const sum = featureNames.reduce(
          (total, name, at) => total + reuseWeights[name] * (features[at] ?? 0),
          0,
        );
        expect(atom.probability).toBeCloseTo(1 / (1 + Math.exp(-sum)), 12);
      });
    }),
    { numRuns: 30 },
  );
});

describe("an index over its limit of candidates", () => {
  it("an index over its limit prunes the least probable blocks and keeps those that calls have used", () => {
    const index = new ReuseIndex({ candidateTokens: 20_000 });
    const append = (step: number, path: string) =>
      index.append([
        new AIMessage({ content: "", tool_calls: [{ id: `c${step}`, name: "read", args: { path } }] }),
        new ToolMessage({
          content: Array.from({ length: 40 }, (_, row) => `row ${row} of item_${step}_${row}`).join("\n"),
          tool_call_id: `c${step}`,
        }),
      ]);
    for (let step = 0; step < 300; step++)
      append(step, step % 6 === 0 ? "/src/often_used.ts" : `/src/once_${step}.ts`);
    expect(index.liveTokens).toBeLessThanOrEqual(20_000 * 1.25);
    expect(index.atoms.size).toBeLessThan(10_000);
    expect(index.atoms.has("/src/often_used.ts")).toBe(true);
    expect(shown(index, 2_000).length).toBeGreaterThan(0);
  });
});

const answer = Array.from({ length: 12 }, (_, at) => `${at}. On the colour of the boat: think of the wind.`);

it("a selection in a chat takes the user's brief words before an assistant's long answer to them", () => {
  const index = new ReuseIndex();
  const said = [
    "Hello.",
    "Hi.",
    "The colour of my boat is teal.",
    answer.join("\n"),
    "Thanks.",
    "You are welcome.",
  ];
  for (const [at, text] of said.entries())
    index.append([at % 2 === 0 ? new HumanMessage(text) : new AIMessage(text)]);
  index.append([new HumanMessage("Which colour has my boat?")]);
  const { order } = selectContext(index, { budget: 400, userShare: 0 });
  expect(order.map(({ chunk }) => chunk.index)[0]).toBe(2);
});

it("an index over its limit prunes the user's words last", () => {
  const index = new ReuseIndex({ candidateTokens: 12_000 });
  for (let at = 0; at < 200; at++) {
    index.append([new HumanMessage(`My wish ${at} is plain.`)]);
    index.append([new AIMessage(answer.join("\n"))]);
  }
  const chunks = index.live.map(({ type }) => type);
  expect(chunks.filter((type) => type === "human")).toHaveLength(200);
  expect(chunks.filter((type) => type === "ai").length).toBeLessThan(100);
});

it("an index of a chat prunes nothing while the text is within its limit, even if all turns are brief", () => {
  const index = new ReuseIndex({ candidateTokens: 20_000 });
  for (let at = 0; at < 400; at++) {
    index.append([
      new HumanMessage(`What is the colour of boat ${at}, in the light of a plain morning at sea?`),
    ]);
    index.append([
      new AIMessage(`The colour of boat ${at} is that of the sea on a plain morning in winter.`),
    ]);
  }
  const tokens = index.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  expect(tokens).toBeLessThan(20_000);
  expect(index.live).toHaveLength(800);
});

function scoresOf({ atoms }: ReuseIndex) {
  return atoms.texts.map((text, number) => [text, atoms.probability[number]]);
}

it("an index for one score gives each string the score that an index with blocks gives it", () => {
  let scored = 0;
  const said = fc.constantFrom(
    "Reading readPage of userName.",
    "parseToken failed at /src/page.ts",
    "Hello there",
  );
  fc.assert(
    fc.property(historyArbitrary(), fc.array(said, { maxLength: 6 }), (history, more) => {
      const edit = {
        path: "/src/page.ts",
        old_string: "const readPage = 1;",
        new_string: "const userName = 1;",
      };
      const messages = [
        ...history,
        new AIMessage({ content: "Editing.", tool_calls: [{ id: "e", name: "edit", args: edit }] }),
        ...more.flatMap((text) => [new HumanMessage(text), new AIMessage(`About ${text} and userName2.`)]),
      ];
      const whole = new ReuseIndex();
      for (const chunk of chunked(messages)) whole.append(chunk);
      scoreAtoms(whole);
      const once = new ReuseIndex({ isForOneScore: true });
      for (const chunk of chunked(messages)) once.append(chunk);
      once.scoreOnce();
      expect(scoresOf(once)).toEqual(scoresOf(whole));
      expect(once.liveTokens).toBe(0);
      scored += whole.atoms.size;
    }),
    { numRuns: 60 },
  );
  expect(scored).toBeGreaterThan(500);
});

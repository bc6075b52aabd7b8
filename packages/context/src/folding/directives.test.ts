import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDirective, parseDirective } from "./directives.js";

const steps = { directive: { target: { from: 3, to: 9 }, summary: "done" } };
const ids = { directive: { target: { ids: [1, 2, 3] }, summary: "done" } };
const alone = { directive: { summary: "done" } };

describe("a directive", () => {
  it.each([
    ["the paper's form", '{"range":[3,9],"summary":"done"}', steps],
    [
      "the production form by ids",
      '{"fold":{"type":"deep_consolidation","target":{"ids":[1,2,3]},"summary_text":"done"}}',
      ids,
    ],
    [
      "the production form by steps",
      '{"fold":{"type":"deep_consolidation","target":{"range":[3,9]},"summary_text":"done"}}',
      steps,
    ],
    [
      "the production form of one step",
      '{"fold":{"type":"granular_condensation","summary_text":"done"},"latest":{}}',
      alone,
    ],
    [
      "the paper's form under the production key",
      '{"fold":{"range":[3,9],"summary":"done"},"latest":{}}',
      steps,
    ],
    ["the paper's form beside the latest interaction", '{"range":[3,9],"summary":"done","latest":{}}', steps],
    [
      "the confidence of a fold",
      '{"range":[3,9],"summary":"done","confidence":0.4}',
      { directive: { target: { from: 3, to: 9 }, summary: "done", confidence: 0.4 } },
    ],
    [
      "the target of a granular condensation, so that it can be checked",
      '{"fold":{"type":"granular_condensation","target":{"ids":[2]},"summary_text":"done"}}',
      { directive: { target: { ids: [2] }, isGranular: true, summary: "done" } },
    ],
    ["labelled ids", '{"ids":["S1","2",3],"summary":"done"}', ids],
    ["a code fence", '```json\n{"range":[3,9],"summary":"done"}\n```', steps],
    ["trailing commas", '{"range":[3,9,],"summary":"done",}', steps],
    ["single quotes and no quotes", "{range:[3,9],'summary':'done'}", steps],
    ["a comment", '{"range":[3,9], // the login\n"summary":"done"}', steps],
    ["text around it", 'I fold: {"range":[3,9],"summary":"done"} and go on.', steps],
    ["a missing bracket at the end", '{"range":[3,9],"summary":"done"', steps],
    ["numbers as text", '{"range":["3","9"],"summary":"done"}', steps],
    [
      "white space and line breaks in the summary",
      '{"summary":" do\\n\\tne "}',
      { directive: { summary: "do ne" } },
    ],
  ])("parseDirective accepts %s", (_, text, expected) => {
    expect(parseDirective(text)).toEqual(expected);
  });

  it.each([
    ["a text without an object", "fold the last three"],
    ["a broken text of 90,000 characters", `{${"'".repeat(90_000)}`],
    ["an empty text", ""],
    ["a confidence above 1", '{"summary":"x","confidence":7}'],
    ["a missing summary", '{"range":[1,2]}'],
    ["an empty summary", '{"range":[1,2],"summary":"  "}'],
    ["a range of three", '{"range":[1,2,3],"summary":"x"}'],
    ["a step before the first", '{"range":[0,2],"summary":"x"}'],
    ["half a step", '{"range":[1.5,2],"summary":"x"}'],
    ["both a range and ids", '{"range":[1,2],"ids":[1],"summary":"x"}'],
    ["an unknown type", '{"fold":{"type":"forget","summary_text":"x"}}'],
    ["an empty list of ids", '{"fold":{"type":"deep_consolidation","target":{"ids":[]},"summary_text":"x"}}'],
  ])("parseDirective refuses %s and shows the accepted form", (_, text) => {
    expect(parseDirective(text)).toEqual({
      refusal: expect.stringContaining('{"range":[first step,last step]') as string,
    });
  });

  it.each([
    ["the latest interaction alone", '{"latest":{"explanation":"opened page 3"}}'],
    ["no fold", '{"fold":null,"latest":{"explanation":"opened page 3"}}'],
    ["no fold and nothing else", '{"fold":null}'],
    ["no fold in a code fence", '```json\n{"fold": null, "latest": "x",}\n```'],
  ])("parseDirective accepts an answer without a directive: %s", (_, text) => {
    expect(parseDirective(text)).toEqual({ none: true });
  });

  it("an answer with a latest interaction and no fold is never refused", () => {
    const fold = fc.constantFrom({}, { fold: null });
    fc.assert(
      fc.property(fold, fc.jsonValue(), (none, latest) => {
        expect(parseDirective(JSON.stringify({ ...none, latest }))).toEqual({ none: true });
      }),
    );
  });

  it("any text and any value is either accepted or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.anything(), (text, value) => {
        expect(Object.keys(parseDirective(`{${text}}`))).toHaveLength(1);
        expect(Object.keys(checkDirective(value))).toHaveLength(1);
      }),
    );
  });
});

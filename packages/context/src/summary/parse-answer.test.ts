import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAnswer } from "./parse-answer.js";
import { emptyPatch } from "./patch-summary.js";

const answer = {
  findings: [{ fact: "Port 8080 is taken", source: "netstat" }, { fact: "17 rules" }],
  decisions: [{ decision: "Use Pratt", reason: "precedence is simple" }],
  resolved: ["q1"],
};
const patch = {
  ...emptyPatch,
  findings: ["Port 8080 is taken (netstat)", "17 rules"],
  decisions: ["Use Pratt (because: precedence is simple)"],
  resolved: ["q1"],
};
const json = JSON.stringify(answer, null, 2);

describe("an answer in JSON", () => {
  it.each<[string, string]>([
    ["in the requested form", json],
    ["in a code fence", `\`\`\`json\n${json}\n\`\`\``],
    ["with prose around it", `Here is the record:\n\n${json}\n\nI hope that this helps!`],
    ["with trailing commas", json.replace('"q1"\n  ]\n}', () => '"q1",\n  ],\n}')],
    ["with single quotes", json.replaceAll('"', "'")],
    ["with comments", json.replace("{", () => "{ // the record")],
    ["cut off before its last brackets", json.slice(0, -6)],
  ])("parseAnswer reads an answer in JSON %s", (_, text) => {
    expect(parseAnswer(text)).toEqual(patch);
  });

  it("parseAnswer accepts entries of an unexpected shape", () => {
    const odd = {
      findings: ["a text", { note: "of its own" }, null, 7],
      decisions: "only one",
      nextSteps: [{ step: "test", why: "to know" }],
      done: null,
    };
    expect(parseAnswer(JSON.stringify(odd))).toEqual({
      ...emptyPatch,
      findings: ["a text", "of its own", "7"],
      decisions: ["only one"],
      nextSteps: ["test: to know"],
    });
  });
});

describe("an answer in Markdown", () => {
  it("parseAnswer reads the headings of an answer in Markdown, with the ids of resolved entries", () => {
    const text =
      "## Findings\n- 17 rules\n\n## Decisions\n- Use Pratt\n\n## Resolved\n- q1, p2\n\n## Obsolete\n- f3\n";
    expect(parseAnswer(text)).toEqual({
      ...emptyPatch,
      findings: ["17 rules"],
      decisions: ["Use Pratt"],
      resolved: ["q1", "p2"],
      obsolete: ["f3"],
    });
  });
});

describe("any other answer", () => {
  it.each(["", "   ", "The port is 8080.", '{"answer": 42}', "{{{", "null", "[1, 2]", "```json\n```"])(
    "parseAnswer returns undefined for an answer without a summary: %j",
    (text) => {
      expect(parseAnswer(text)).toBeUndefined();
    },
  );

  it("parseAnswer never throws, for any text", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("{", "}", '"findings":', "[", "]", ",", "## Findings\n"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const found = parseAnswer(pieces.join(""));
        const lines = Object.values(found ?? {}).flat();
        expect(lines.filter((line) => typeof line !== "string")).toEqual([]);
      }),
    );
  });
});

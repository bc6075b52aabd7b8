import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { applySummary } from "./apply-summary.js";
import { completeSummary, earlierSummary } from "./earlier-summary.js";
import { extractSummary } from "./extract-summary.js";
import { foldKwargs, isSummary } from "../folds/fold.js";
import { boundSummary } from "./patch-summary.js";
import { planSummary } from "./plan-summary.js";
import { emptySummary, renderSummary, type Summary } from "./summary.js";

const tokenCounter = estimateTokens;

/** A thread that has been summarized so many times, each time over two steps on a file of its own. */
function summarized(times: number): readonly BaseMessage[] {
  let context: readonly BaseMessage[] = [talk.human("h", "Go. Never stop before the end.")];
  for (let time = 1; time <= times; time++) {
    const step = [
      talk.calls(`c${time}`, { [`k${time}`]: ["read_file", { path: `src/part-${time}.ts` }] }),
      talk.result(`r${time}`, `k${time}`, `the value of part ${time} is ${time * 7919}`),
      talk.ai(`e${time}`, `Read part ${time}.`),
    ];
    const plan = planSummary([...context, ...step], { cut: context.length + 3, tokenCounter });
    if (plan === undefined) throw new Error("nothing to fold");
    context = applySummary(plan, { text: renderSummary(extractSummary(plan.region)), tokenCounter }).messages;
  }
  return context;
}

it("the index lists the topic and the file of each earlier fold", () => {
  const { index } = earlierSummary(summarized(3));
  expect(index.map((entry) => entry.replace(/-[0-9a-f]{16}/, ""))).toEqual([
    "“part-1.ts”: /context/history/0001.md",
    "“part-2.ts”: /context/history/0002.md",
    "“part-3.ts”: /context/history/0003.md",
  ]);
});

it("the index of 40 folds has 25 entries, and the first one names the folder of the older folds", () => {
  const { index, artifacts, userLines } = earlierSummary(summarized(40));
  expect(index).toHaveLength(25);
  expect(index.filter((entry) => entry === "older messages: /context/history/")).toEqual([index[0]]);
  expect(index.at(-1)).toMatch(/^“part-40\.ts”: /);
  expect(artifacts).toHaveLength(40);
  expect(userLines).toEqual([]);
});

function characters(entries: readonly string[]): number {
  return entries.join("").length;
}

describe("the lists of files in a summary of a small window", () => {
  const whole = extractSummary(summarized(40));
  const { artifacts, index } = boundSummary(whole, 200);

  it("keep the files that were touched last", () => {
    expect(whole.artifacts).toHaveLength(40);
    expect(characters(artifacts)).toBeLessThanOrEqual(600);
    expect(artifacts).toEqual(whole.artifacts.slice(-artifacts.length));
    expect(artifacts.length).toBeGreaterThan(20);
  });

  it("name the folder of the older folds and the newest of them", () => {
    expect(index[0]).toBe("older messages: /context/history/");
    expect(index.slice(1)).toEqual(whole.index.slice(1 - index.length));
    expect(index.length).toBeGreaterThan(1);
    expect(characters(index.slice(1))).toBeLessThanOrEqual(240);
  });

  it("name the folder once, also where no file fits and where they are bounded again", () => {
    expect(boundSummary(whole, 10).index).toEqual(["older messages: /context/history/"]);
    expect(boundSummary(boundSummary(whole, 200), 200).index).toEqual(index);
    expect(boundSummary(extractSummary(summarized(3)), 10).index).toEqual([
      "older messages: /context/history/",
    ]);
  });

  it("are whole in a summary of the usual size", () => {
    const three = extractSummary(summarized(3));
    expect(boundSummary(three, 2_000)).toMatchObject({ artifacts: three.artifacts, index: three.index });
  });
});

it("a thread without a summary has no earlier findings and no index", () => {
  const { index, findings } = earlierSummary([talk.human("h", "Go")]);
  expect([index, findings]).toEqual([[], []]);
  expect(summarized(2).filter(isSummary)).toHaveLength(1);
});

const found = (findings: readonly string[]): Summary => ({ ...emptySummary, findings });
const of = (line: string) => `search: “${line}”`;

describe("completeSummary", () => {
  it("keeps the extracted findings behind those of the model, each line once", () => {
    const extracted = found([`search: “The quota is 17” “The port is 80”`]);
    const { findings } = completeSummary(found(["The work goes on", of("The port is 80")]), extracted, []);
    expect(findings).toEqual(["The work goes on", of("The port is 80"), of("The quota is 17")]);
  });

  it("leaves out what the model removed from the earlier findings", () => {
    const before = found([of("The quota is 17"), of("The port is 80")]);
    const plan = planSummary([talk.human("h", "Go."), talk.ai("a", "I look.")], { cut: 2, tokenCounter });
    const messages = plan && applySummary(plan, { text: renderSummary(before), tokenCounter }).messages;
    const { findings } = completeSummary(found([of("The port is 80")]), before, messages ?? []);
    expect(findings).toEqual([of("The port is 80")]);
  });
});

const gauge = (value: number) => `The gauge of Bergen stands at ${value}.`;

it("a line that the model copied leaves the findings once a newer value supersedes it", () => {
  const messages = [
    talk.calls("c1", { k1: ["read"] }),
    talk.result("r1", "k1", gauge(1001)),
    talk.calls("c2", { k2: ["read"] }),
    talk.result("r2", "k2", gauge(2002)),
  ];
  const copies = [1001, 2002].map((value) => `read: “${gauge(value)}”`);
  const own = "The gauge of Bergen stood at 1001 and rose.";
  const written: Summary = { ...emptySummary, findings: [...copies, own] };
  const { findings } = completeSummary(written, emptySummary, messages);
  expect(findings).toEqual([copies[1], own]);
});

it("an earlier quotation of several lines keeps what extraction chooses of it again, also where one line is superseded", () => {
  const memo = "The harbour office closes early on feast days.";
  const before = `read: “${gauge(1001)}”`;
  const summary = new HumanMessage({
    content: renderSummary({ ...emptySummary, findings: [before, `read: “${memo}”`] }),
    additional_kwargs: foldKwargs({
      id: "summary-1",
      kind: "summary",
      path: "/context/history/0001.md",
      covers: [],
      tokensBefore: 9,
      tokensAfter: 3,
    }),
  });
  const messages = [summary, talk.calls("c", { k: ["read"] }), talk.result("r", "k", gauge(2002))];
  const extracted = extractSummary(messages);
  const written = earlierSummary(messages);
  const lines = completeSummary(written, extracted, messages).findings.join();
  expect(lines).toContain(memo);
  expect(lines).toContain(gauge(1001));
  expect(lines).toContain(gauge(2002));
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { afterAll, describe, expect, it } from "vitest";
import { fullHistory } from "../policies/unbudgeted.js";
import type { Policy } from "../policies/policy.js";
import { playAll } from "./contextbench.js";
import { Corpus } from "./corpus.js";
import { grepAnswer } from "./grep.js";
import { makeWorld } from "./made-world.js";
import { parseQuestion } from "./parse-question.js";
import { questionSet } from "./question-set.js";
import { isRight, planQuestion } from "./questions.js";
import { holds, rowsOf, type Row } from "./rows.js";
import { promptSource } from "./sources.js";
import type { CompactingSystem } from "../compactbench/systems.js";
import { playedSystems } from "./systems.js";

const set = questionSet(undefined, { seed: 3, questions: 10 });
const folder = mkdtempSync(join(tmpdir(), "contextbench-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function play(system: CompactingSystem, window = 8_000) {
  return playAll(set, system, { window, ofThread: 5 });
}

function systemNamed(name: string): CompactingSystem {
  return playedSystems.find((system) => system.name === name)!;
}

/** A system of ours that shows what another policy shows. */
function ours(policy: Policy): CompactingSystem {
  return { name: policy.name, isOurs: true, start: (options) => policy.start(options) };
}

/** The whole history, in which every result but the newest one is gone. */
const forgetful: Policy = {
  name: "forgetful",
  start(options) {
    const all = fullHistory.start(options);
    return {
      async context(added, facts) {
        const thread = await all.context(added, facts);
        return thread.map((message, at) =>
          at < thread.length - 1 && ToolMessage.isInstance(message)
            ? new ToolMessage({ id: message.id!, tool_call_id: message.tool_call_id, content: "gone" })
            : message,
        );
      },
    };
  },
};

describe("the parser", () => {
  it.each([1, 2, 3, 4, 5])("gives the answers that the records of made world %i give", (seed) => {
    const { texts, questions } = makeWorld(seed, { questions: 24 });
    const corpus = new Corpus(texts);
    expect(questions).toHaveLength(24);
    expect(questions.map((one) => planQuestion(one, corpus)).filter((one) => !("plan" in one))).toEqual([]);
  });

  it("reads groups, tie breaks and what decides between two", () => {
    const plan = parseQuestion(
      "Who has more pets: the person with the oldest vehicle among Blue Card cardholders who live in the same state as the owner of pet 'Rex' (using total bank balance as tiebreaker if tied), OR the person with the most vehicles among people with exactly 2 credit cards who share the same blood type as the user with internet username 'rex9' (using the same tiebreaker)? If tied on pets, return the person with the higher total bank balance.",
      "all",
    );
    const balance = { metric: { of: "sum", file: "bank_accounts", field: "balance" }, first: "largest" };
    const oldest = { metric: { of: "smallest", file: "vehicles", field: "year" }, first: "smallest" };
    expect(plan.between).toEqual([most("pets"), balance]);
    expect(plan.choices.map(({ rankings }) => rankings)).toEqual([
      [oldest, balance],
      [most("vehicles"), balance],
    ]);
    expect(plan.choices.map(({ filters }) => filters)).toEqual([
      [
        { by: "same", ...shared("addresses", "state"), as: { file: "pets", field: "name", value: "Rex" } },
        { by: "value", file: "credit_cards", field: "provider", value: "Blue Card" },
      ],
      [
        {
          by: "same",
          ...shared("medical_records", "blood_type"),
          as: { file: "internet_accounts", field: "username", value: "rex9" },
        },
        { by: "count", file: "credit_cards", least: 2, most: 2 },
      ],
    ]);
  });

  it("refuses a question with a word that it does not read", () => {
    const asked =
      "Among all people who live in the same state as the owner of the pet named 'Rex', who has the most stamps?";
    expect(() => parseQuestion(asked, "all")).toThrow('no case reads "stamps"');
  });

  it("gives a question whose plan has another answer no plan", () => {
    const wrong = { ...set.planned[0]!, truth: "Nobody Else" };
    expect(planQuestion({ text: wrong.text, kind: "", truth: wrong.truth }, set.corpus)).toMatchObject({
      why: expect.stringMatching(/^its plan gives /) as string,
    });
  });
});

function most(file: string) {
  return { metric: { of: "count", files: [file] }, first: "largest" };
}

function shared(file: string, field: string) {
  return { file, field, reading: "all" };
}

it.each([
  ["$1,234.50", "1234.5", true],
  ["18", "18 records", true],
  ["19", "18 records", false],
  ["ada ALDER", "Ada Alder", true],
  ["Ada Alder, Ben Birch", "Ada Alder", false],
  ["I give up.", "Ada Alder", false],
])("by the rubric, %s for %s is right: %s", (answer, truth, right) => {
  expect(isRight(answer, truth)).toBe(right);
});

describe("a prompt", () => {
  const [pet] = set.corpus.find("pets", "owner", "pers-0002");
  const wanted = {
    file: "pets",
    field: "name",
    values: [pet!.fields["name"]!, "Nobody"],
    countsOnly: false,
  } as const;
  const answer = grepAnswer(set.corpus, wanted);
  const find = (content: string) =>
    promptSource([new ToolMessage({ content, tool_call_id: "c" })], set.corpus).find(
      "pets",
      "name",
      wanted.values,
    );

  it("gives the records that stand in it word for word, also with the marks of a list or of a quotation", () => {
    expect(find(answer)).toEqual([pet]);
    expect(find(answer.replaceAll(/^/gm, "- "))).toEqual([pet]);
    expect(find(answer.replaceAll(/^(.*)$/gm, "- grep (pets.txt): “$1”"))).toEqual([pet]);
    expect(find(answer.replaceAll(/^(.*)$/gm, "“$1”"))).toEqual([pet]);
  });

  it("gives no record that is clipped, and none whose number nobody said", () => {
    expect(() => find(answer.slice(0, -3))).toThrow(
      `pets with name ${pet!.fields["name"]} is not in the prompt`,
    );
    expect(() => find(pet!.text)).toThrow("Nobody is not in the prompt");
  });
});

describe("a thread", () => {
  it("is answered in full with its whole history, where nothing is asked for again", async () => {
    const [row] = rowsOf(await play(systemNamed("full history")));
    expect(row).toMatchObject({ right: 10, questions: 10, sums: { callsAgain: 0, tokensAgain: 0 } });
    expect(row!.sums.unfit).toBeGreaterThan(0);
  });

  it("is given up where results are dropped, after four times the calls", async () => {
    const threads = await play(ours(forgetful));
    const demanded = set.planned.reduce((sum, { demand }) => sum + 4 * demand.calls, 0);
    expect(rowsOf(threads)).toMatchObject([{ right: 0, worstRight: 0, sums: { calls: demanded } }]);
  });
});

interface Fault {
  readonly name: string;
  readonly sums?: Partial<Row["sums"]>;
  readonly row?: Partial<Row>;
}

describe("the bar", () => {
  const systems = ["full history", "recency", "Palimpsest ladder"].map(systemNamed);
  const played = Promise.all(systems.map((system) => play(system)));

  it("holds for the ladder, and fails a ladder whose older results are forgotten", async () => {
    const [control, rival, ladder] = await played;
    expect(holds(rowsOf([control!, rival!, ladder!].flat()))).toBe(true);
    expect(holds(rowsOf([control!, rival!, await play(ours(forgetful))].flat()))).toBe(false);
  });

  it.each<[string, Fault]>([
    ["a prompt of ours is over the window", { name: "Palimpsest ladder", sums: { unfit: 1 } }],
    ["a prompt of ours breaks a rule", { name: "Palimpsest ladder", sums: { illegal: 1 } }],
    ["a prompt of ours lacks the question", { name: "Palimpsest ladder", sums: { withoutQuestion: 1 } }],
    ["ours answers one question less than a rival", { name: "Palimpsest ladder", row: { rightRoomy: 7 } }],
    ["the whole history does not answer everything", { name: "full history", row: { right: 9 } }],
  ])("fails where %s", async (_, { name, sums, row }) => {
    const rows = rowsOf((await played).flat());
    expect(rows.map(({ rightRoomy }) => rightRoomy)).toEqual([8, 8, 8]);
    const changed = rows.map((one) =>
      one.system.name === name ? { ...one, ...row, sums: { ...one.sums, ...sums } } : one,
    );
    expect(holds(changed)).toBe(false);
  });
});

describe("a folder", () => {
  it("is read where it has the questions", () => {
    const { texts, questions } = makeWorld(4, { questions: 6 });
    mkdirSync(join(folder, "contextbench", "files"), { recursive: true });
    for (const [file, text] of Object.entries(texts))
      writeFileSync(join(folder, "contextbench", "files", `${file}.txt`), text);
    const lines = questions.map(({ text, truth, kind }) =>
      JSON.stringify({ input: text, ground_truth: truth, agent_args: { extra: { question_type: kind } } }),
    );
    writeFileSync(join(folder, "contextbench", "questions.jsonl"), lines.join("\n"));
    const { name, planned } = questionSet(folder, { seed: 1, questions: 2 });
    expect({ name, texts: planned.map(({ text }) => text) }).toEqual({
      name: "Context-Bench",
      texts: questions.map(({ text }) => text),
    });
  });

  it("without them is said to have none, and where they are", () => {
    const { name, absent } = questionSet(tmpdir(), { seed: 1, questions: 2 });
    expect(name).toBe("made world");
    expect(absent).toContain("letta-ai/letta-evals");
  });
});

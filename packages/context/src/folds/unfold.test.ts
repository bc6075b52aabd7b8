import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { dropReasoning } from "../passes/drop-stale-reasoning.js";
import { maskToolResults } from "../passes/mask-tool-results.js";
import { offloadLargeToolResults } from "../passes/offload-large-tool-results.js";
import { offloadLargeUserMessages } from "../passes/offload-large-user-messages.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary, type PlanSummaryOptions } from "../summary/plan-summary.js";
import { copyMessage } from "../messages/copy-message.js";
import { toStoredMessage } from "../messages/stored-message.js";
import { readerOf, recordWrites, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldKwargs, foldOf, type Fold } from "./fold.js";
import { reconcile } from "./reconcile.js";
import { unchanged, type Rewrite } from "./rewrite.js";
import { holdOriginals } from "./hold-originals.js";
import { foldNamed, unfold } from "./unfold.js";

const tokenCounter = estimateTokens;
const long = "a line of what the tool returned\n".repeat(100);
const thread = [
  talk.human("h1", "the goal"),
  talk.calls("c", { a: ["ls"] }),
  talk.result("r", "a", long),
  talk.ai("e1", "seen"),
  talk.human("h2", "a detail"),
  talk.ai("e2", "noted"),
  talk.human("h3", "the latest"),
  talk.ai("e3", "done"),
];
const more = [talk.calls("c2", { b: ["ls"] }), talk.result("r2", "b", `${long}two`)];
const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);

/** An archive with a function that writes the files of a rewrite and returns its messages. */
function commit() {
  const archive = new Map<string, string>();
  return {
    archive,
    read: readerOf(archive),
    apply(rewrite: Rewrite) {
      recordWrites(archive, rewrite.writes);
      return rewrite.messages;
    },
    summary(messages: readonly BaseMessage[], options: PlanSummaryOptions) {
      const plan = planSummary(messages, options);
      if (plan === undefined) throw new Error("nothing to fold");
      return this.apply(applySummary(plan, { text: "summary", tokenCounter }));
    },
  };
}

const thinking = (id: string) =>
  new AIMessage({
    id,
    content: [
      { type: "thinking", thinking: id, signature: "s" },
      { type: "text", text: id },
    ],
  });
const isStale = () => true;
const pinned = ({ id }: BaseMessage) => id === "r";

describe("unfold", () => {
  it("drops all that a carried stand-in opened, and leaves what the record does not restore", async () => {
    const files = commit();
    const first = files.summary(thread, { cut: 4 });
    const standIns = first.filter(foldOf);
    const stored = [...first, ...more].map((message) => `${JSON.stringify(toStoredMessage(message))}\n`);
    files.archive.set("/context/history/outer.jsonl", stored.join(""));
    const carrying: Fold = {
      id: "macro-1",
      kind: "macro",
      path: "/context/history/outer.md",
      record: "/context/history/outer.jsonl",
      covers: [...ids(standIns), ...ids(more), "elsewhere"].flatMap((id) => id ?? []),
      carried: [0, 3],
      tokensBefore: 9,
      tokensAfter: 1,
    };
    const outer = new HumanMessage({
      id: carrying.id,
      content: "outer",
      additional_kwargs: foldKwargs(carrying),
    });
    const opened = await unfold([talk.human("elsewhere", "mine"), ...standIns, outer], files.read);
    expect(ids(opened)).toEqual(["elsewhere", ...ids([...thread, ...more])]);
  });

  it("opens one level at a time, and then all", async () => {
    const files = commit();
    const offloaded = files.apply(offloadLargeToolResults(thread, { offloadTokens: 100 }));
    const masked = files.apply(maskToolResults(offloaded, { keepSteps: 0 }));
    const once = files.summary(masked, { cut: 4 });
    const twice = files.summary(once, { cut: 5 });
    const opened = [0, 1, 2, 3, 4].map((levels) => unfold(twice, files.read, { levels }));
    const [none, one, two, three, four] = await Promise.all(opened);
    expect(none).toEqual(twice);
    expect(one && ids(one)).toEqual(ids(once));
    expect(two && ids(two)).toEqual(ids(thread));
    expect(two?.[2]?.content).toMatch(/^\[Result of an earlier step/);
    expect(three?.[2]?.content).toBe(long);
    expect(four).toEqual(three);
    expect(await unfold(twice, files.read)).toEqual(three);
  });

  it("gives a result that was offloaded without an id the id that its stand-in has got since", async () => {
    const files = commit();
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const content = [{ type: "text", text: long }, picture];
    const result = new ToolMessage({ tool_call_id: "a", name: "ls", content });
    const [standIn] = files.apply(offloadLargeToolResults([result], { offloadTokens: 100 }));
    const inState = copyMessage(standIn!, { id: "r" });
    expect(foldOf(inState)?.kind).toBe("offload");
    expect(await unfold([inState], files.read)).toEqual([copyMessage(result, { id: "r" })]);
  });

  it("opens one fold, by its id, its path or its record, and leaves the others closed", async () => {
    const files = commit();
    const offloaded = files.apply(offloadLargeToolResults([...thread, ...more], { offloadTokens: 100 }));
    const folds = offloaded.flatMap((message) => foldOf(message) ?? []);
    expect(folds).toHaveLength(2);
    for (const name of [folds[1]?.id, folds[1]?.path]) {
      const opened = await unfold(offloaded, files.read, { folds: foldNamed(String(name)) });
      expect(opened.at(-1)?.content).toBe(`${long}two`);
      expect(opened[2]).toBe(offloaded[2]);
    }
    const summed = files.summary(offloaded, { cut: 4 });
    const record = foldOf(summed[1] ?? talk.human("", ""))?.record;
    const one = await unfold(summed, files.read, { folds: foldNamed(String(record)), levels: 1 });
    expect(one).toEqual(offloaded);
    expect(await unfold(summed, files.read, { folds: foldNamed("nobody") })).toEqual(summed);
  });

  it("restores the position of a message that was folded separately", async () => {
    const files = commit();
    // The pinned step and h2 precede the first summary; the second folds h2, the third the step and the second.
    const first = files.summary(thread, { cut: 6, pin: pinned });
    expect(ids(first).slice(0, 4)).toEqual(["h1", "c", "r", "h2"]);
    const second = files.summary(first, { cut: 4, pin: pinned, userTokens: 0 });
    const third = files.summary(second, { cut: 4, userTokens: 0 });
    expect(third).toHaveLength(5);
    expect(ids(await unfold(third, files.read))).toEqual(ids(thread));
  });

  it("keeps what the host has made of a message that stays beside a summary, before and after the next summary", async () => {
    const files = commit();
    const once = files.summary(thread, { cut: 6, userTokens: 0 });
    const goal = talk.human("h1", "another goal");
    const edited = once.map((message) => (message.id === "h1" ? goal : message));
    const whole = [goal, ...thread.slice(1)];
    expect(await unfold(edited, files.read)).toEqual(whole);
    const twice = files.summary([...edited, ...more, talk.ai("e4", "seen")], {
      cut: edited.length,
      userTokens: 0,
    });
    expect(await unfold(twice, files.read)).toEqual([...whole, ...more, talk.ai("e4", "seen")]);
  });

  it("keeps what the host has made of a shortened message that stays beside a summary, at every level", async () => {
    const files = commit();
    const large = [talk.human("h1", long), ...thread.slice(1)];
    const shortened = files.apply(offloadLargeUserMessages(large, { maxTokens: 100 }));
    const once = files.summary(shortened, { cut: 6, userTokens: 0 });
    expect(foldOf(once[0]!)?.kind).toBe("offload");
    const goal = talk.human("h1", "another goal");
    const edited = [goal, ...once.slice(1)];
    expect((await unfold(edited, files.read, { levels: 1 }))[0]).toBe(goal);
    expect((await unfold(edited, files.read))[0]).toBe(goal);
  });

  it("leaves what the host has inserted behind a message that stays beside a summary, before and after the next summary", async () => {
    const files = commit();
    const once = files.summary(thread, { cut: 6, pin: pinned });
    expect(ids(once).slice(0, 4)).toEqual(["h1", "c", "r", "h2"]);
    const note = talk.human("n", "a note");
    for (const [at, place] of [1, 3, 5].entries()) {
      const grown = once.toSpliced([1, 3, 4][at] ?? 0, 0, note);
      const whole = thread.toSpliced(place, 0, note);
      expect(ids(await unfold(grown, files.read))).toEqual(ids(whole));
      const next = [...grown, ...more, talk.ai("e4", "seen")];
      const twice = files.summary(next, { cut: grown.length, userTokens: 0 });
      expect(ids(await unfold(twice, files.read, { levels: 1 }))).toEqual(ids(next));
      expect(ids(await unfold(twice, files.read))).toEqual([...ids(whole), "c2", "r2", "e4"]);
    }
  });

  it("leaves what the host has inserted behind a message that it has removed since in the place of that one", async () => {
    const files = commit();
    const once = files.summary(thread, { cut: 6, pin: pinned });
    const note = talk.human("n", "a note");
    const replaced = await reconcile(once.toSpliced(3, 1, note), files.read);
    expect(ids(await unfold(replaced, files.read))).toEqual(ids(thread.toSpliced(4, 1, note)));
  });

  it("opens a stand-in that was folded while it held its originals", async () => {
    const files = commit();
    const held = holdOriginals(maskToolResults(thread, { keepSteps: 0 }));
    const folded = files.summary(held, { cut: 4 });
    expect(ids(folded)).not.toContain("r");
    expect(await unfold(folded, files.read)).toEqual(thread);
  });

  it("opens a held original that was masked, and one whose holder was folded into a summary", async () => {
    const held = holdOriginals(offloadLargeToolResults(thread, { offloadTokens: 100 }));
    const masked = maskToolResults(held, { keepSteps: 0 });
    expect(masked.messages[2]?.text).toMatch(/^\[Result of an earlier step/);
    expect(await unfold(masked.messages, commit().read)).toEqual(thread);
    const thought = [
      talk.human("h1", "x"),
      thinking("a1"),
      talk.human("h2", "y"),
      thinking("a2"),
      talk.human("h3", "z"),
    ];
    const stripped = holdOriginals(
      dropReasoning(unchanged(thought), { isStale, newest: "h3", tokenCounter }),
    );
    const files = commit();
    expect(await unfold(files.summary(stripped, { cut: 3 }), files.read)).toEqual(thought);
  });

  it("does not modify its input, and returns messages without a fold as the same objects", async () => {
    const files = commit();
    const folded = files.summary(thread, { cut: 4 });
    const before = [...folded];
    const opened = await unfold(folded, files.read);
    expect(folded).toEqual(before);
    expect(opened.at(-1)).toBe(thread.at(-1));
  });

  it("propagates the archive's error when a file is missing", async () => {
    const files = commit();
    const folded = files.summary(thread, { cut: 4 });
    await expect(unfold(folded, readerOf(new Map()))).rejects.toThrow("is not in the archive");
  });

  it.each(["not JSON", "{}", "null", '{"class":"AIMessage","type":"ai"}'])(
    "refuses the record %j",
    async (text) => {
      const folded = commit().summary(thread, { cut: 4 });
      const opened = unfold(folded, () => Promise.resolve(text));
      await expect(opened).rejects.toThrow(`holds a line that is not a stored message: ${text}`);
      await expect(opened).rejects.toMatchObject({ name: "ContextError", code: "corrupt" });
    },
  );
});

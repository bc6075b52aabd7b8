import { ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";
import { messageText } from "../messages/text.js";
import { historyArbitrary, readerOf, recordWrites, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { offloadContent, offloadLargeToolResults } from "./offload-large-tool-results.js";

const line = "2024-05-01T12:00:00Z INFO worker started";
const log = Array.from({ length: 3_000 }, (_, n) => `${line} ${n}`).join("\n");

function arrived(...texts: readonly string[]) {
  const calls = Object.fromEntries(texts.map((_, n) => [`c${n}`, ["ls"] as const]));
  return [
    talk.human("h", "look"),
    talk.calls("ai", calls),
    ...texts.map((text, n) => talk.result(`r${n}`, `c${n}`, text)),
  ];
}

const texts = (messages: ReturnType<typeof offloadLargeToolResults>["messages"]) => messages.map(messageText);

const turn = (n: number) => [
  talk.calls(`ai${n}`, { call_0: ["ls"] }),
  talk.result(`r${n}`, "call_0", `${log} of turn ${n}`),
];

const chunk = (n: number) => `${line} `.repeat(1_830).slice(0, 75_000 - n);

describe("offloadLargeToolResults", () => {
  it("shows the path, the size, the kind and the first ten lines of a large result", () => {
    const { messages, writes, folds } = offloadLargeToolResults(arrived(log));
    const path = folds[0]?.path ?? "";
    expect(writes).toEqual([{ path, content: log }]);
    const tokens = estimateTokens([arrived(log)[2] as ToolMessage]);
    expect(messageText(messages[2] as ToolMessage).split("\n")).toEqual([
      `[Result offloaded: 3000 lines, ${log.length} characters, about ${tokens} tokens, text]`,
      `Full text: ${path}`,
      ...log.split("\n").slice(0, 10),
      "[2990 more lines in the file above]",
    ]);
  });

  it("returns messages of any type within the limit as the same objects", () => {
    const messages = [...arrived("short"), talk.human("h2", log)];
    const rewrite = offloadLargeToolResults(messages);
    expect(rewrite.writes).toEqual([]);
    expect(rewrite.messages.every((message, index) => message === messages[index])).toBe(true);
  });

  // Peer failure: of one line of 800,000 characters the model sees 1,628, and no page ever reaches the rest.
  it("previews a huge JSON of one line in a few hundred characters, and archives all of it as JSON", async () => {
    const json = JSON.stringify({
      rows: Array.from({ length: 30_000 }, (_, id) => ({ id, name: "needle?" })),
    });
    expect(json.length).toBeGreaterThan(800_000);
    const { messages, writes, folds } = offloadLargeToolResults(arrived(json));
    const text = messageText(messages[2] as ToolMessage);
    expect(text.length).toBeLessThan(600);
    expect(text).toContain(`1 lines, ${json.length} characters`);
    expect(text).toContain(`[line clipped: ${json.length - 200} more characters]`);
    expect(folds[0]?.path).toMatch(/\.json$/);
    const archive = new Map<string, string>();
    recordWrites(archive, writes);
    const [, , opened] = await unfold(messages, readerOf(archive));
    expect(opened?.content).toBe(json);
  });

  // Peer failure: `$&` in a result spliced the template into the preview.
  it("shows replacement patterns as they are", () => {
    const odd = "$& $' $` $$ $1\n".repeat(400);
    const { messages, writes } = offloadLargeToolResults(arrived(odd), {
      offloadTokens: 100,
      previewLines: 2,
    });
    expect(messageText(messages[2] as ToolMessage)).toContain(
      "\n$& $' $` $$ $1\n$& $' $` $$ $1\n[398 more lines",
    );
    expect(writes[0]?.content).toBe(odd);
  });

  // Peer failure: the second result of a reused call id silently overwrote the file of the first.
  it("keeps both results when a call id is reused", async () => {
    const thread = [talk.human("h", "x"), ...turn(1), ...turn(2)];
    const { messages, writes, folds } = offloadLargeToolResults(thread);
    expect(new Set(folds.map(({ path }) => path)).size).toBe(2);
    const archive = new Map<string, string>();
    recordWrites(archive, writes);
    const opened = await unfold(messages, readerOf(archive));
    expect(texts(opened)).toEqual(texts(thread));
  });

  // Peer failure: with 12 results of 75,000 characters at once the model never saw any of them.
  it("offloads the largest of twelve parallel results, each within its limit, until the batch fits", () => {
    const messages = arrived(...Array.from({ length: 12 }, (_, n) => chunk(n)));
    const batchTokens = 80_000;
    const own = estimateTokens(messages.slice(2, 3));
    expect(own).toBeLessThan(40_000);
    const rewrite = offloadLargeToolResults(messages, { offloadTokens: 40_000, batchTokens });
    const results = rewrite.messages.slice(2);
    expect(estimateTokens(results)).toBeLessThanOrEqual(batchTokens);
    expect(results.filter((message) => foldOf(message) === undefined).map(({ id }) => id)).toEqual(
      results.slice(-(12 - rewrite.folds.length)).map(({ id }) => id),
    );
    expect(rewrite.folds.length).toBeGreaterThanOrEqual(9);
    expect(rewrite.folds.length).toBeLessThan(12);
    expect(texts(results).every((text) => text.includes(line))).toBe(true);
  });

  it("counts the tokens of the previews, so that a second run finds the batch within its limit", () => {
    const preview = `${line}\n`.repeat(14);
    const messages = arrived(preview, preview, preview);
    const options = { batchTokens: estimateTokens(messages.slice(2)) - 10, previewLines: 10 };
    const once = offloadLargeToolResults(messages, options);
    expect(once.folds.length).toBeGreaterThan(0);
    expect(offloadLargeToolResults(once.messages, options).folds).toEqual([]);
    expect(estimateTokens(once.messages.slice(2))).toBeLessThanOrEqual(options.batchTokens);
  });

  it("brings the unseen results within the batch limit, or has offloaded all that it can", () => {
    const batch = fc.integer({ min: 10, max: 2_000 });
    fc.assert(
      fc.property(historyArbitrary(), batch, (messages, batchTokens) => {
        const { messages: after } = offloadLargeToolResults(messages, { batchTokens });
        const results = after.slice(unseenStart(after)).filter((message) => message.getType() === "tool");
        const fits = estimateTokens(results) <= batchTokens;
        const left = results.filter((message) => offloadContent(message) !== undefined);
        expect(fits || left.length === 0).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps results of excluded tools whole, except in a batch that is too large", () => {
    const messages = arrived(log, log);
    expect(offloadLargeToolResults(messages, { excludeTools: ["tool"] }).folds).toEqual([]);
    const batch = offloadLargeToolResults(messages, { excludeTools: ["tool"], batchTokens: 100_000 });
    expect(batch.folds).toHaveLength(1);
  });

  it("does not apply the batch limit to seen results", () => {
    const seen = [...arrived(log, log), talk.ai("a", "I see")];
    expect(offloadLargeToolResults(seen, { offloadTokens: 1e6, batchTokens: 10 }).folds).toEqual([]);
  });

  it("records the newest message id for a seen result, because earlier usage is then out of date", () => {
    const messages = arrived(log);
    expect(offloadLargeToolResults(messages).folds[0]?.newest).toBeUndefined();
    expect(offloadLargeToolResults([...messages, talk.ai("a", "I see")]).folds[0]?.newest).toBe("a");
  });

  it("keeps images, artifact, name and status", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const message = new ToolMessage({
      id: "r",
      tool_call_id: "c",
      name: "shot",
      status: "error",
      artifact: { at: new Date(0) },
      content: [{ type: "text", text: log }, picture],
    });
    const folded = offloadContent(message);
    expect(folded?.message).toMatchObject({
      id: "r",
      name: "shot",
      status: "error",
      artifact: { at: new Date(0) },
    });
    expect(folded?.message.content).toHaveLength(2);
    expect(folded?.message.content[1]).toEqual(picture);
  });
});

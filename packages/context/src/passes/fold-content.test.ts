import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { talk, textArbitrary } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldContent } from "./fold-content.js";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";

const tokenCounter = estimateTokens;
const long = "a line of what the tool returned\n".repeat(20);
const options = {
  kind: "mask",
  tokenCounter,
  describe: ({ path }: { path: string }) => `see ${path}`,
} as const;
const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

describe("foldContent", () => {
  it("names the file by the tool and the content, never by the call id", () => {
    const one = foldContent(talk.result("r1", "call_0", long), options);
    const other = foldContent(talk.result("r2", "call_0", `${long}!`), options);
    const same = foldContent(talk.result("r3", "call_7", long), options);
    expect(one?.fold.path).toMatch(/^\/context\/results\/tool-[0-9a-f]{16}\.txt$/);
    expect(other?.fold.path).not.toBe(one?.fold.path);
    expect(same?.fold.path).toBe(one?.fold.path);
    expect(same?.fold.id).not.toBe(one?.fold.id);
  });

  it("converts a hostile tool name to a safe file name", () => {
    const message = new ToolMessage({ content: long, tool_call_id: "c", name: "../../etc/passwd\u0000 $&" });
    expect(foldContent(message, options)?.fold.path).toMatch(
      /^\/context\/results\/etc-passwd-[0-9a-f]{16}\.txt$/,
    );
  });

  it("keeps all fields but the content, and stores the fold where no provider receives it", () => {
    const message = new ToolMessage({
      id: "r",
      content: long,
      tool_call_id: "c",
      name: "ls",
      status: "error",
      artifact: { rows: 1 },
      additional_kwargs: { own: 1 },
    });
    const folded = foldContent(message, options);
    expect(folded?.message).toMatchObject({
      id: "r",
      content: `see ${folded?.fold.path}`,
      tool_call_id: "c",
      name: "ls",
      status: "error",
      artifact: { rows: 1 },
      additional_kwargs: { own: 1 },
    });
    expect(folded?.message && foldOf(folded.message)).toEqual(folded?.fold);
    expect(folded?.fold).toMatchObject({ covers: ["r"], tokensBefore: tokenCounter([message]) });
    expect(folded?.fold.tokensAfter).toBe(folded && tokenCounter([folded.message]));
  });

  it("keeps images in place, and archives the whole message", () => {
    const message = new HumanMessage({ id: "h", content: [{ type: "text", text: long }, picture] });
    const folded = foldContent(message, options);
    expect(folded?.message.content).toEqual([{ type: "text", text: `see ${folded?.fold.path}` }, picture]);
    expect(folded?.writes.map(({ path }) => path)).toEqual([folded?.fold.path, folded?.fold.record]);
    expect(folded?.writes[0]?.content).toBe(long);
  });

  it("cuts out a file that costs more than an image, names it, and keeps it as what it was", async () => {
    const file = {
      type: "file",
      mimeType: "application/zip",
      data: "QUJD".repeat(4_000),
      filename: "all logs.zip",
    };
    const message = new HumanMessage({ id: "h", content: [{ type: "text", text: long }, picture, file] });
    const folded = foldContent(message, options);
    const [note, kept] = (folded?.message.content ?? []) as [{ text: string }, unknown];
    const path = /read_file shows it again: (\S+)\]/.exec(note.text)?.[1];
    expect(note.text).toContain("all logs.zip, application/zip, 12000 bytes, about 3000 tokens");
    expect(kept).toEqual(picture);
    const written = folded?.writes.find((write) => write.path === path);
    expect(written?.content).toBe(`data:application/zip;base64,${file.data}`);
    const archive = new Map(folded?.writes.map((write) => [write.path, write.content]));
    const thread = await unfold(
      folded === undefined ? [] : [folded.message],
      async (at) => archive.get(at) ?? "",
    );
    expect(thread[0]?.content).toEqual(message.content);
  });

  it("says only where the files are of a message without text, and still when it is shortened again", () => {
    const file = {
      type: "document",
      source: { type: "base64", media_type: "application/zip", data: "QUJD".repeat(4_000) },
    };
    const alone = foldContent(new HumanMessage({ id: "h", content: [file, file] }), options);
    expect(alone?.message.text).toMatch(/^\[File moved [^\n]+\n\[File moved [^\n]+$/);
    const message = new HumanMessage({ id: "h", content: [{ type: "text", text: long }, file] });
    const preview = foldContent(message, {
      ...options,
      kind: "offload",
      describe: ({ text }) => text.slice(0, 200),
    });
    const shorter =
      preview && foldContent(preview.message, { ...options, kind: "offload", describe: () => "short" });
    expect(shorter?.message.text).toMatch(
      /^short\n\[File moved out of the context: application\/zip, [^\n]+$/,
    );
  });

  it("archives text that UTF-8 cannot represent in well-formed form, with the exact text beside it", () => {
    const content = `${long}\ud800`;
    const folded = foldContent(talk.result("r", "c", content), options);
    expect(folded?.writes.every((write) => write.content.isWellFormed())).toBe(true);
    expect(folded?.writes[0]?.content).toBe(`${long}\ufffd`);
    expect(JSON.parse(folded?.writes[1]?.content ?? "")).toMatchObject({ data: { content } });
  });

  it("names a file with JSON by the extension json", () => {
    const json = JSON.stringify({ rows: Array(50).fill("row") });
    expect(foldContent(talk.result("r", "c", json), options)?.fold.path).toMatch(/\.json$/);
  });

  it("refuses to make a message larger, and to fold a stand-in that cannot be shortened further", () => {
    expect(foldContent(talk.result("r", "c", "short"), options)).toBeUndefined();
    expect(foldContent(talk.result("r", "c", ""), options)).toBeUndefined();
    const masked = foldContent(talk.result("r", "c", long), options);
    expect(masked && foldContent(masked.message, options)).toBeUndefined();
  });

  it("shortens an offloaded message further without a write, and keeps the original's token count", () => {
    const preview = ({ path }: { path: string }) => `${path}\n${long.slice(0, 400)}`;
    const first = foldContent(talk.result("r", "c", long), {
      ...options,
      kind: "offload",
      describe: preview,
    });
    const second = first && foldContent(first.message, options);
    expect(second?.writes).toEqual([]);
    expect(second?.fold).toMatchObject({
      kind: "mask",
      path: first?.fold.path,
      tokensBefore: first?.fold.tokensBefore,
      covers: ["r"],
    });
  });

  it("archives any text exactly, and only when that makes the message smaller", () => {
    fc.assert(
      fc.property(textArbitrary(), (text) => {
        const folded = foldContent(talk.result("r", "c", text), options);
        fc.pre(folded !== undefined);
        expect(folded.fold.tokensAfter).toBeLessThan(folded.fold.tokensBefore);
        const [file, record] = folded.writes;
        expect(file?.content).toBe(text.toWellFormed());
        expect(record === undefined).toBe(text.isWellFormed());
      }),
      { numRuns: 300 },
    );
  });
});

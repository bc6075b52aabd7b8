import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reworkByKind } from "../../shared/rework-view.js";
import { whyText } from "../../shared/why-text.js";
import { writeAudit } from "../../testing/written-audit.js";
import { ThreadReader } from "../thread-reader.js";

let saver: VfsSaver;
let reader: ThreadReader;

beforeAll(async () => {
  saver = VfsSaver.inMemory();
  await writeAudit(saver, "audit", 16);
  reader = new ThreadReader(saver, "audit");
});
afterAll(async () => saver.close());

const placeOfPage = async (page: number): Promise<number> =>
  (await reader.all()).findIndex(({ text }) => text.startsWith(`line of page ${page}\n`));

describe("what became of a message", () => {
  it("names the calls that were sent it, the fold that took it away, and its certificate", async () => {
    const found = await reader.why(await placeOfPage(0));
    expect(found.seen).toEqual([[2, found.folds[0]!.call! - 1]]);
    expect(found).toMatchObject({ isSeen: false, folds: [{ kind: "summary", reason: "trigger" }] });
    const [fold] = found.folds;
    expect(fold?.certificate).toMatchObject({ path: expect.stringContaining("/context/certificates/") });
    expect(fold!.certificate!.kept).toBeLessThanOrEqual(fold!.certificate!.facts);
    const text = whyText(found)
      .map((phrase) => phrase.text)
      .join("");
    expect(text).toContain(`Folded before call ${fold?.call} by a summary (trigger)`);
  });

  it("names the newest call for a message that is still in sight", async () => {
    const all = await reader.all();
    const found = await reader.why(all.length - 2);
    expect(found).toMatchObject({ isSeen: true, folds: [] });
    expect(found.seen.at(-1)?.[1]).toBe(16);
  });

  it("names no fold for the message of the user, which stays beside every summary", async () => {
    const { seen, isSeen, folds } = await reader.why(0);
    expect({ seen, isSeen, folds }).toEqual({ seen: [[1, 16]], isSeen: true, folds: [] });
  });

  it("names a tool call that was made again after its result was folded", async () => {
    // The agent reads page 0 again in its last turn but one.
    const found = await reader.why(await placeOfPage(0));
    expect(found.again).toEqual([expect.objectContaining({ call: 15, tool: "fetch", how: "same call" })]);
  });
});

it("counts for each kind of fold after how many the agent asked again", async () => {
  const all = await reader.rework();
  const kinds = reworkByKind(all);
  expect(kinds.map(({ kind }) => kind)).toEqual(["summary"]);
  expect(kinds[0]).toMatchObject({ folds: all.length });
  expect(kinds[0]!.regretted).toBeGreaterThanOrEqual(1);
});

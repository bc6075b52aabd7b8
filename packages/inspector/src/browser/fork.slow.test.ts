import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readState, stepsOf } from "../reading/read-state.js";
import { startInspector } from "../server/start-inspector.js";
import { excessOf, executable, objectionsTo } from "../testing/browser.js";
import { PageSession, pageTimeout } from "../testing/page-session.js";
import { writeRuns } from "../testing/written-runs.js";
import { writeThread } from "../testing/written-thread.js";

const writeOne = async (saver: VfsSaver) => {
  await writeRuns(saver, "runs");
  await writeThread(saver, "one");
};

describe.runIf(executable)("a fork, asked for in a browser", () => {
  let session: PageSession;

  beforeAll(async () => {
    session = await PageSession.start({ write: writeOne, window: 4_000, canAct: true });
  });
  afterAll(async () => session.close());

  const newest = async () => (await stepsOf(session.saver, "one")).at(-1);

  it("is written by keyboard alone, after the page describes what it writes", async () => {
    const page = await session.open();
    const parent = await newest();
    const before = (await readState(session.saver, "one")).context;
    await page.keyboard.press("f");
    await page.locator("dialog input:checked").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator(".plan li", { hasText: "The originals in place of the fold" }).waitFor();
    expect(await newest()).toEqual(parent);
    const write = page.getByRole("button", { name: "Write the fork" });
    for (let stop = 0; stop < 6 && !(await write.evaluate((one) => one.matches(":focus"))); stop++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("dialog").getByRole("status").waitFor();
    const fork = await newest();
    expect(fork).toMatchObject({ parentId: parent?.id });
    expect(await page.locator("dialog pre").textContent()).toContain(fork?.id);
    await page.keyboard.press("Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.locator(".figures").waitFor();
    await page.keyboard.press(".");
    await page.locator(".figures", { hasText: `step ${fork?.step},` }).waitFor();
    const checkpoints = `${(await stepsOf(session.saver, "one")).length} checkpoints`;
    await page.locator(".thread.selected", { hasText: checkpoints }).waitFor();
    const after = (await readState(session.saver, "one")).context;
    expect(after.length).toBeGreaterThan(before.length);
    await page.close();
  });

  it("pins the chosen message, on a branch of the chosen step", async () => {
    const page = await session.open();
    await page.keyboard.press("[");
    await session.shown(page);
    const step = await page.locator(".figures").textContent();
    await page.getByRole("button", { name: "fork …" }).click();
    await page.getByLabel("Pin a message").check();
    await page.getByRole("combobox", { name: "Message" }).selectOption({ index: 0 });
    await page.locator(".plan li", { hasText: "The message with a mark" }).waitFor();
    await page.getByRole("button", { name: "Write the fork" }).click();
    await page.locator("dialog").getByRole("status").waitFor();
    const fork = await newest();
    const parent = (await stepsOf(session.saver, "one")).find(({ id }) => id === fork?.parentId);
    expect(step).toContain(`step ${parent?.step},`);
    const { context } = await readState(session.saver, "one", fork?.id);
    const marked = context.filter(({ additional_kwargs: marks }) => marks["palimpsest_pin"] === true);
    expect(marked.map((message) => foldOf(message))).toEqual([undefined]);
    await page.close();
  });

  it("is not written when the dialog is left, nor by keys of the page behind it", async () => {
    const page = await session.open();
    const before = await newest();
    const step = await page.locator(".figures").textContent();
    await page.keyboard.press("f");
    await page.locator(".plan li").first().waitFor();
    await page.keyboard.press("[");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await page.locator(".figures").textContent()).toBe(step);
    expect(await newest()).toEqual(before);
    await page.close();
  });

  it("is not offered in a run of a subgraph, and again in its thread", async () => {
    const page = await session.open();
    const fork = page.getByRole("button", { name: "fork …" });
    await page.locator("nav .thread", { hasText: "runs" }).click();
    await page.locator("nav .thread.selected", { hasText: "runs" }).waitFor();
    await page.locator(".lanes[data-name=agents] button").first().click();
    await page.locator(".crumb").waitFor();
    await page.locator(".replied article", { hasText: "page: 8" }).waitFor();
    await page.keyboard.press("f");
    expect(await fork.count()).toBe(0);
    expect(await page.locator("dialog").count()).toBe(0);
    await page.locator(".crumb button").click();
    await fork.waitFor();
    await page.close();
  });

  it("is not offered unless the host allows it", async () => {
    const reading = await startInspector({ saver: session.saver });
    const page = await session.browser.newPage();
    page.setDefaultTimeout(pageTimeout);
    await page.goto(reading.url);
    await page.waitForSelector(".card header .link");
    await page.keyboard.press("f");
    expect(await page.getByRole("button", { name: "fork …" }).count()).toBe(0);
    expect(await page.locator("dialog").count()).toBe(0);
    await page.close();
    await reading.close();
  });

  it.each([
    ["light", 1_400],
    ["dark", 1_400],
    ["light", 400],
    ["dark", 400],
  ] as const)("has nothing that axe objects to, %s and %i pixels wide", async (colorScheme, width) => {
    const page = await session.open({ width, colorScheme });
    await page.keyboard.press("f");
    await page.getByLabel("Compact above a message").check();
    await page.locator(".plan li", { hasText: "A summary in place of" }).waitFor();
    expect(await objectionsTo(page)).toEqual([]);
    expect(await excessOf(page)).toBe(0);
    await session.screenshot(page, `fork-${colorScheme}-${width}`);
    await page.close();
  });
});

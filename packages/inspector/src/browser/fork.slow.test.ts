import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readState, stepsOf } from "../reading/read-state.js";
import { startInspector, type Inspector } from "../server/start-inspector.js";
import { excessOf, executable, launchBrowser, objectionsTo } from "../testing/browser.js";
import { writeThread } from "../testing/written-thread.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-fork-"));
/** Generous: the machine may be busy. */
const timeout = 60_000;

describe.runIf(executable)("a fork, asked for in a browser", () => {
  let browser: Browser;
  let saver: VfsSaver;
  let inspector: Inspector;

  beforeAll(async () => {
    saver = VfsSaver.fromPath(join(folder, "agent.db"));
    await writeThread(saver, "one");
    inspector = await startInspector({ saver, canAct: true, window: 4_000 });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await inspector.close();
    await saver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(width: number, colorScheme: "light" | "dark" = "light"): Promise<Page> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 860 } });
    page.setDefaultTimeout(timeout);
    await page.goto(inspector.url);
    await page.waitForSelector(".card header .link");
    return page;
  }

  const newest = async () => (await stepsOf(saver, "one")).at(-1);

  it("is written by keys alone, after the page has said what it writes", async () => {
    const page = await open(1_400);
    const parent = await newest();
    const before = (await readState(saver, "one")).context;
    await page.keyboard.press("f");
    await page.locator("dialog input:checked").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator(".plan li", { hasText: "The originals in place of the fold" }).waitFor();
    expect(await newest()).toEqual(parent);
    const write = page.getByRole("button", { name: "Write the fork" });
    for (let stop = 0; stop < 6 && !(await write.evaluate((one) => one.matches(":focus"))); stop++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    const fork = await newest();
    expect(fork).toMatchObject({ parentId: parent?.id });
    expect(await page.locator("dialog pre").textContent()).toContain(fork?.id);
    await page.keyboard.press("Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
    const title = page.locator(".figures b");
    await title.filter({ hasText: `Step ${fork?.step}` }).waitFor();
    const after = (await readState(saver, "one")).context;
    expect(after.length).toBeGreaterThan(before.length);
    await page.close();
  });

  it("pins the chosen message, on a branch of the chosen step", async () => {
    const page = await open(1_400);
    await page.keyboard.press("[");
    await page.waitForSelector(".figures .tag");
    const step = await page.locator(".figures b").textContent();
    await page.getByRole("button", { name: "fork …" }).click();
    await page.getByLabel("Pin a message").check();
    await page.getByRole("combobox", { name: "Message" }).selectOption({ index: 0 });
    await page.locator(".plan li", { hasText: "The message with a mark" }).waitFor();
    await page.getByRole("button", { name: "Write the fork" }).click();
    await page.getByRole("status").waitFor();
    const fork = await newest();
    const parent = (await stepsOf(saver, "one")).find(({ id }) => id === fork?.parentId);
    expect(step).toBe(`Step ${parent?.step}`);
    const { context } = await readState(saver, "one", fork?.id);
    const marked = context.filter(({ additional_kwargs: marks }) => marks["palimpsest_pin"] === true);
    expect(marked.map((message) => foldOf(message))).toEqual([undefined]);
    await page.close();
  });

  it("is not written when the dialog is left, nor by keys of the page behind it", async () => {
    const page = await open(1_400);
    const before = await newest();
    const step = await page.locator(".figures b").textContent();
    await page.keyboard.press("f");
    await page.locator(".plan li").first().waitFor();
    await page.keyboard.press("[");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await page.locator(".figures b").textContent()).toBe(step);
    expect(await newest()).toEqual(before);
    await page.close();
  });

  it("is not offered where nobody allowed it", async () => {
    const reading = await startInspector({ saver });
    const page = await browser.newPage();
    page.setDefaultTimeout(timeout);
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
  ] as const)("has nothing that axe objects to, %s and %i pixels wide", async (scheme, width) => {
    const page = await open(width, scheme);
    await page.keyboard.press("f");
    await page.getByLabel("Compact above a message").check();
    await page.locator(".plan li", { hasText: "A summary in place of" }).waitFor();
    expect(await objectionsTo(page)).toEqual([]);
    expect(await excessOf(page)).toBe(0);
    const shots = process.env["PALIMPSEST_SCREENSHOTS"];
    await (shots === undefined
      ? undefined
      : page.screenshot({ path: join(shots, `fork-${scheme}-${width}.png`) }));
    await page.close();
  });
});

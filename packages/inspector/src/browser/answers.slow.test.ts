import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf, executable, objectionsTo } from "../testing/browser.js";
import { PageSession } from "../testing/page-session.js";
import { auditWindow, writeAudit } from "../testing/written-audit.js";

describe.runIf(executable)("what the page says beside the cost and the changes of a thread", () => {
  let session: PageSession;
  let page: Page;

  beforeAll(async () => {
    session = await PageSession.start({
      async write(saver) {
        await writeAudit(saver, "other", 4);
        await writeAudit(saver, "audit/reader/page", 3);
        await writeAudit(saver, "audit/reader", 4);
        await writeAudit(saver, "audit", 16);
      },
      window: auditWindow,
    });
    page = await session.open();
    await page.locator("input.call-number").waitFor();
  });
  afterAll(async () => session.close());

  it("is what the folds saved, with a way to the call at which the thread would have ended", async () => {
    await page.keyboard.press("5");
    const saved = page.locator(".saved");
    await saved.getByRole("cell", { name: "tokens of all prompts" }).waitFor();
    const call = saved.getByRole("button", { name: /^call \d+$/u });
    const number = /\d+/u.exec((await call.textContent()) ?? "")?.[0] ?? "";
    await session.screenshot(page, "saved");
    await call.click();
    await expect.poll(async () => page.locator(".call-number").inputValue()).toBe(number);
  });

  it("is the cost of a thread by the list of prices, until others are typed", async () => {
    await page.keyboard.press("5");
    await page.getByLabel("Price of input, scripted").fill("2");
    await page.getByLabel("Price of output, scripted").fill("3");
    const cost = page.locator(".saved").getByRole("cell", { name: "predicted cost" });
    await cost.waitFor();
    expect(await cost.count()).toBe(1);
    // Out of the field, in which a key is a digit.
    await page.keyboard.press("Escape");
  });

  it("is the tree of its subagents, and what those of one name took", async () => {
    await page.keyboard.press("8");
    await page.locator(".tree .tree .hit", { hasText: "page" }).waitFor();
    expect(await page.locator(".side table tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^reader14/u),
      expect.stringMatching(/^page13/u),
    ]);
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "agents");
    await page.locator(".tree .hit", { hasText: "reader" }).first().click();
    await page.waitForURL(/audit%2Freader/u);
    await page.goBack();
    await page.locator(".tree .tree").waitFor();
  });

  it("is the difference from another thread", async () => {
    await page.keyboard.press("4");
    const before = Number(await page.locator(".call-number").inputValue()) - 1;
    expect(await page.locator(".compared input").getAttribute("placeholder")).toBe(String(before));
    await page.getByLabel("compared with").selectOption({ label: "the end of other" });
    await page.locator(".change", { hasText: "message" }).first().waitFor();
    await page.waitForURL(/since=thread/u);
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "compared");
    await page.keyboard.press("Escape");
  });

  it("is the fold that wrote a file of the archive", async () => {
    await page.keyboard.press("3");
    await page.locator(".file", { hasText: "/context/history/" }).first().click();
    await page.getByText(/^written by a fold of kind summary before/u).waitFor();
    await page.setViewportSize({ width: 400, height: 880 });
    expect(await excessOf(page)).toBe(0);
    await session.screenshot(page, "written-by-400");
  });
});

import { VfsSaver } from "@palimpsest/checkpoint";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startInspector } from "../server/start-inspector.js";
import { executable, objectionsTo } from "../testing/browser.js";
import { PageSession, pageTimeout } from "../testing/page-session.js";
import {
  auditWindow,
  RefusedModel,
  systemPrompt,
  writeAudit,
  written,
  type AuditFacts,
} from "../testing/written-audit.js";

const number = (text: string | null | undefined): number =>
  Number(/[\d,]+/u.exec(text ?? "")?.[0].replaceAll(",", ""));

/** The machine may be busy. */
const patience = { timeout: pageTimeout };

/** Opens the page, and waits until all calls have their numbers. */
async function opened(session: PageSession, ...given: Parameters<PageSession["open"]>): Promise<Page> {
  const page = await session.open(...given);
  await page.locator(".call-number").waitFor();
  return page;
}

async function figures(page: Page): Promise<string> {
  return (await page.locator(".figures").textContent()) ?? "";
}

describe.runIf(executable)("what the page says of a thread, in a browser", () => {
  let session: PageSession;
  let facts: AuditFacts;

  beforeAll(async () => {
    session = await PageSession.start({
      write: async (saver) => (facts = await writeAudit(saver, "audit")),
      window: auditWindow,
    });
  });
  afterAll(async () => session.close());

  it("takes only what a model call was sent for a prompt, and counts it as the model did", async () => {
    const page = await opened(session);
    await page.keyboard.press("Home");
    for (const [at, prompt] of facts.prompts.entries()) {
      await expect.poll(async () => page.locator(".call-number").inputValue(), patience).toBe(String(at + 1));
      const text = await figures(page);
      expect(text).toContain(`of ${facts.prompts.length}`);
      expect(number(/sent ([\d,]+) tokens/u.exec(text)?.[1])).toBe(prompt);
      expect(prompt).toBeLessThan(auditWindow);
      const parts = await page.locator(".legend b").allTextContents();
      expect(parts.map(number).reduce((sum, part) => sum + part, 0)).toBe(prompt);
      await page.keyboard.press("ArrowRight");
    }
    await page.close();
  });

  it("parts what was sent from the reply, and says of a state between two calls that it was not sent", async () => {
    const page = await opened(session);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.locator(".replied article", { hasText: "Turn 1." }).waitFor();
    expect(await page.locator(".sent article", { hasText: "Turn 1." }).count()).toBe(1);
    await page.keyboard.press(".");
    await page.locator(".unsent").waitFor();
    expect(await figures(page)).toContain("Not sent, between call 2 and 3");
    expect(await page.locator(".replied").count()).toBe(0);
    await page.close();
  });

  it("shows all of a file that the agent wrote, and an edit as a difference", async () => {
    const page = await opened(session);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const call = page.locator(".replied .call", { hasText: "write_file" });
    await call.getByRole("button", { name: /more characters$/u }).click();
    expect(await call.locator(".text pre").textContent()).toBe(written);
    await page.keyboard.press("ArrowRight");
    await page.locator(".replied .diff .minus", { hasText: "- finding 3 of the audit" }).waitFor();
    await page.locator(".replied .diff .plus", { hasText: "+ finding three" }).waitFor();
    await page.close();
  });

  it("shows the system prompt and the tools of a call", async () => {
    const page = await opened(session);
    await page.keyboard.press("Home");
    await page.keyboard.press("s");
    await page.locator(".prompt .text", { hasText: systemPrompt }).waitFor();
    await page.locator(".prompt summary", { hasText: "fetch Reads a page." }).click();
    await page.locator(".prompt details .text", { hasText: '"page"' }).waitFor();
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "prompt");
    await page.getByRole("button", { name: "system prompt, 1 tool" }).click();
    await page.locator(".prompt").waitFor({ state: "detached" });
    await page.close();
  });

  it("copies a whole message", async () => {
    const page = await opened(session);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await session.shown(page);
    const card = page.locator(".replied article");
    await card.hover();
    await card.getByRole("button", { name: "Copy the message" }).click();
    await card.getByRole("button", { name: "Copy the message" }).filter({ hasText: "copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toContain(JSON.stringify(written));
    await page.close();
  });

  it("marks what failed, lists it, and goes through it by key", async () => {
    const page = await opened(session);
    // Pages 3 and 8 answer with HTTP 500, and one tool does not exist.
    await page.locator(".chip", { hasText: "3 errors" }).click();
    expect(await page.locator(".hit.fault").allTextContents()).toEqual([
      expect.stringContaining("HTTP 500 from page 3"),
      expect.stringContaining("no_such_tool"),
      expect.stringContaining("HTTP 500 from page 8"),
    ]);
    await page.locator(".hit.fault").first().click();
    await page.locator(".sent .card.fault.selected .failed").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("e");
    await expect.poll(async () => page.locator(".call-number").inputValue(), patience).toBe("5");
    await page.keyboard.press("e");
    await expect.poll(async () => page.locator(".call-number").inputValue(), patience).toBe("6");
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "errors");
    await page.close();
  });

  it("marks a summary that failed at the step that went on without it", async () => {
    const refusing = await PageSession.start({
      write: async (saver) =>
        writeAudit(saver, "audit", { turns: 12, model: new RefusedModel({ maxRetries: 0 }) }),
      window: auditWindow,
    });
    const page = await opened(refusing);
    await page.locator(".chip", { hasText: "4 errors" }).click();
    await page.locator(".hit.fault", { hasText: "429 Too many requests (then: extract)" }).click();
    await page.locator(".figures", { hasText: "1 error before it" }).waitFor();
    expect(await page.locator(".figures").textContent()).toContain("folded summary");
    expect(await objectionsTo(page)).toEqual([]);
    await refusing.close();
  });

  it("goes back to where the reader was", async () => {
    const page = await opened(session);
    const before = await page.locator(".call-number").inputValue();
    await page.keyboard.press("Home");
    await expect.poll(async () => page.locator(".call-number").inputValue(), patience).toBe("1");
    for (let more = 0; more < 4; more++) await page.keyboard.press("ArrowRight");
    await expect.poll(async () => page.locator(".call-number").inputValue(), patience).toBe("5");
    await page.waitForTimeout(1_100);
    await page.keyboard.press("3");
    await page.locator(".file", { hasText: "/notes.md" }).click();
    await page.locator(".side .text", { hasText: "finding 0" }).waitFor();
    await page.waitForURL(/file=/u);
    await page.goBack();
    await page.locator(".file[aria-expanded=true]").waitFor({ state: "detached" });
    // The tab, the call, and one entry more where the walk to it took longer than a second.
    const number = page.locator(".call-number");
    for (let more = 0; more < 7 && (await number.inputValue()) !== before; more++) {
      await page.goBack();
      await page.waitForTimeout(300);
    }
    expect(await number.inputValue()).toBe(before);
    expect(page.url()).toContain(new URL(session.inspector.url).origin);
    await page.close();
  });

  it("opens a copied link in another browser, and a plain one in another tab", async () => {
    const context = await session.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await page.goto(session.inspector.url);
    await page.waitForSelector(".card");
    await page.keyboard.press("Home");
    await page.waitForURL(/at=/u);
    await page.getByRole("button", { name: "Copy link to this place, with the token" }).click();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    const other = await opened(session, {}, link);
    await expect.poll(async () => other.locator(".call-number").inputValue(), patience).toBe("1");
    expect(other.url()).not.toContain("token");
    const tab = await context.newPage();
    await tab.goto(page.url());
    await expect.poll(async () => tab.locator(".call-number").inputValue(), patience).toBe("1");
    await other.close();
    await context.close();
  });

  it("says that it has no access, and takes the token", async () => {
    const page = await session.browser.newPage();
    page.setDefaultTimeout(pageTimeout);
    const url = new URL(session.inspector.url);
    await page.goto(url.origin);
    await page.getByRole("heading", { name: "This page has no access" }).waitFor();
    expect(await page.locator(".timeline").count()).toBe(0);
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "access");
    await page.getByLabel("Url or token").fill(session.inspector.url);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".card");
    await page.close();
  });
});

describe.runIf(executable)("a page that an agent writes behind", () => {
  it("keeps the history, the search and the bill of each branch, and goes back", async () => {
    const session = await PageSession.start({
      write: async (saver) => writeAudit(saver, "audit"),
      window: auditWindow,
      canAct: true,
    });
    const page = await opened(session);
    const all = await figures(page);
    const happened = await page.locator(".row .number").last().textContent();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "fork …" }).click();
    await page.getByRole("button", { name: "Write the fork" }).click();
    await page.getByRole("status", { name: "" }).filter({ hasText: "The fork is written" }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator(".figures", { hasText: "of 2" }).waitFor();
    const old = page.locator(".lanes button");
    expect(await old.getAttribute("title")).toMatch(/^branch from step \d+, \d+ checkpoints, to /u);
    await session.screenshot(page, "branch");
    await old.click();
    await page.locator(".crumb", { hasText: "newest branch" }).waitFor();
    await expect.poll(async () => figures(page), patience).toBe(all);
    await page.locator(".row .number", { hasText: new RegExp(`^${happened}$`, "u") }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("page 9");
    await page.locator(".hit").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("5");
    const calls = page.locator("tr.reported td:nth-child(3)");
    const [reported, predicted] = [
      calls,
      page.locator("tbody tr", { hasText: /^predicted/u }).locator("td:nth-child(3)"),
    ];
    expect(await reported.textContent()).toBe("12");
    expect(await predicted.textContent()).toBe("12");
    expect(await objectionsTo(page)).toEqual([]);
    await page.locator(".crumb button").click();
    await page.locator(".figures", { hasText: "of 2" }).waitFor();
    expect(await reported.textContent()).toBe("2");
    await session.close();
  });

  it("says that an unfold is one", async () => {
    const session = await PageSession.start({
      write: async (saver) => writeAudit(saver, "audit"),
      window: auditWindow,
      canAct: true,
    });
    const page = await opened(session);
    await page.getByRole("button", { name: "fork …" }).click();
    await page.getByLabel("Unfold one fold").check();
    await page.getByRole("button", { name: "Write the fork" }).click();
    await page.getByText("The fork is written").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press(".");
    await page.locator(".figures .tag", { hasText: "unfolded 1 fold" }).waitFor();
    expect(await figures(page)).not.toContain("folded summary");
    await session.close();
  });

  it("shows a new thread and new calls without a reload, and says when the server is gone", async () => {
    const saver = VfsSaver.inMemory();
    const token = "a-token-that-stays";
    const inspector = await startInspector({ saver, window: auditWindow, token });
    const session = await PageSession.start({ write: async (one) => writeAudit(one, "other", 2), window: 1 });
    const page = await session.browser.newPage();
    page.setDefaultTimeout(pageTimeout);
    await page.goto(inspector.url);
    await page.getByText("There are no threads yet").waitFor();
    await writeAudit(saver, "audit", 4);
    await page.locator("nav .selected", { hasText: "audit" }).waitFor();
    await page.locator(".chip", { hasText: "● following" }).waitFor();
    await page.locator(".figures", { hasText: "of 4" }).waitFor();
    await page.keyboard.press("Home");
    await writeAudit(saver, "audit", 3);
    await page.locator(".chip", { hasText: "○ 3 new" }).waitFor();
    await page.keyboard.press("End");
    await page.locator(".chip", { hasText: "● following" }).waitFor();
    await page.locator(".figures", { hasText: "of 7" }).waitFor();
    const port = Number(new URL(inspector.url).port);
    await inspector.close();
    await page.locator(".chip", { hasText: "disconnected" }).waitFor();
    const again = await startInspector({ saver, window: auditWindow, token, port });
    await page.locator(".chip", { hasText: "● following" }).waitFor();
    expect(await figures(page)).toContain("of 7");
    await again.close();
    await session.close();
    await saver.close();
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildReport } from "../report/build-report.js";
import { reportHtml } from "../report/report-html.js";
import { excessOf, executable, objectionsTo } from "../testing/browser.js";
import { PageSession, pageTimeout } from "../testing/page-session.js";
import { innerNeedle, writeRuns } from "../testing/written-runs.js";
import { hostile, needle, writeThread } from "../testing/written-thread.js";

async function writeThreads(saver: VfsSaver): Promise<void> {
  await writeRuns(saver, "runs");
  await writeThread(saver, "two", 2);
  await writeThread(saver, "one/agent", 1);
  await writeThread(saver, "one");
}

/** Opens the second run of a subgraph by the keyboard, a fold of it, a run inside it, and goes back to where it began. */
async function followRun(page: Page): Promise<void> {
  await page.locator(".lanes button").nth(2).waitFor();
  await page.locator(".call-number").waitFor();
  await page.keyboard.press(",");
  await page.locator(".figures", { hasText: "step 5," }).waitFor();
  await page.getByRole("button", { name: /^inner 2, 22 checkpoints of a subgraph$/u }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".crumb", { hasText: /^← runs\s*inner/u }).waitFor();
  await page.locator(".sent .replied").waitFor();
  await page.locator(".sent .seam").first().click();
  await page.locator(".sent .originals .seam").first().click();
  await page.locator(".sent .originals article", { hasText: innerNeedle }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("magpie");
  await page.locator(".hit", { hasText: "folded" }).click();
  await page.locator(".detail", { hasText: innerNeedle }).waitFor();
  expect(await page.locator(".crumb b").textContent()).toBe("inner");
  await page.locator(".lanes button").focus();
  await page.keyboard.press("Enter");
  await page.locator(".crumb", { hasText: /^← inner\s*deepest/u }).waitFor();
  await page.locator(".crumb button:focus", { hasText: /^← inner/u }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".crumb button:focus", { hasText: /^← runs/u }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".crumb").waitFor({ state: "detached" });
  await page.locator(".figures", { hasText: "step 5," }).waitFor();
}

describe.runIf(executable)("the page in a browser", () => {
  let session: PageSession;

  beforeAll(async () => {
    session = await PageSession.start({ write: writeThreads, window: 4_000 });
  });
  afterAll(async () => session.close());

  it("shows the newest thread, hides the token, and sends requests only to its server", async () => {
    const page = await session.open();
    expect(await page.locator("nav .selected b").textContent()).toBe("one");
    expect(page.url()).not.toContain("token");
    const { origin } = new URL(session.inspector.url);
    expect(new Set(session.requests.map((url) => new URL(url).origin))).toEqual(new Set([origin]));
    await page.reload();
    await page.waitForSelector(".card");
    expect(session.complaints).toEqual([]);
    await page.close();
  });

  it("shows the last activity, the folds and the size of every thread, and of the chosen one its checkpoints", async () => {
    const page = await session.open();
    await page.locator("nav .selected", { hasText: "archive files" }).waitFor();
    const threads = page.locator("nav .thread");
    await expect.poll(async () => threads.filter({ hasText: /\d folds?, /u }).count()).toBe(4);
    expect(await threads.allTextContents()).toEqual([
      expect.stringMatching(
        /^one\d+ \w+ \d{4}, \d\d:\d\d[1-9]\d* folds, \d+ kB\d+ checkpoints, \d+ archive files$/u,
      ),
      expect.stringMatching(/^one\/agent\d+ \w+ \d{4}, \d\d:\d\d0 folds, 0 B$/u),
      expect.stringMatching(/^two\d+ \w+ \d{4}, \d\d:\d\d\d+ folds?, [\d.]+ k?B$/u),
      expect.stringMatching(/^runs/u),
    ]);
    await threads.nth(2).click();
    await page.locator("nav .selected", { hasText: /^two.*archive files$/u }).waitFor();
    expect(await threads.first().textContent()).toMatch(/[1-9]\d* folds, \d+ kB$/u);
    await page.close();
  });

  it("shows when a subagent ran, and opens its thread", async () => {
    const page = await session.open();
    const bar = page.locator(".lanes button");
    expect(await bar.getAttribute("title")).toMatch(/^agent, \d+ checkpoints$/u);
    await bar.click();
    await page.locator("nav .selected b", { hasText: /^one\/agent$/u }).waitFor();
    expect(await page.locator(".lanes").count()).toBe(0);
    await page.close();
  });

  it("opens a run of a subgraph by keys, its folds and the runs inside it, and goes back to the step", async () => {
    const before = session.complaints.length;
    const page = await session.open();
    await page.locator("nav .thread", { hasText: "runs" }).click();
    await followRun(page);
    const bar = page.locator(".lanes button").first();
    await bar.click();
    await page.locator(".sent .replied").waitFor();
    await page.waitForURL(/namespace=inner/u);
    await page.reload();
    await page.locator(".crumb").waitFor();
    await page.locator(".sent .replied").waitFor();
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "run");
    expect(session.complaints.slice(before)).toEqual([]);
    await page.close();
  });

  it("opens a run of a subgraph in a report as well", async () => {
    const path = join(session.folder, "runs.html");
    writeFileSync(path, reportHtml(await buildReport(session.saver, { thread: "runs" })));
    const before = session.complaints.length;
    const page = await session.open({}, pathToFileURL(path).href);
    await followRun(page);
    expect(session.complaints.slice(before)).toEqual([]);
    await page.close();
  });

  it("opens at the newest message that was sent, whatever the height of the messages before it", async () => {
    const saver = VfsSaver.inMemory();
    const content = "a line of a page\n".repeat(40);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("read", () => ({ messages: Array.from({ length: 12 }, () => new AIMessage(content)) }))
      .addEdge(START, "read")
      .compile({ checkpointer: saver });
    await graph.invoke({ messages: ["Read."] }, { configurable: { thread_id: "tall" } });
    const path = join(session.folder, "tall.html");
    writeFileSync(path, reportHtml(await buildReport(saver)));
    const page = await session.open({}, pathToFileURL(path).href);
    const isAtEnd = async (): Promise<unknown> =>
      page.evaluate(`(() => {
        const { scrollTop, clientHeight, scrollHeight } = document.querySelector(".sent .scroll");
        return scrollTop > 0 && scrollTop + clientHeight > scrollHeight - 2;
      })()`);
    await expect.poll(isAtEnd, { timeout: pageTimeout }).toBe(true);
    await page.close();
  });

  it("opens a seam in place, level by level, to the original", async () => {
    const page = await session.open();
    const sent = page.locator(".sent");
    // A summary may quote the line; the original repeats it.
    const original = sent.locator("article", { hasText: `${needle} ${needle}` });
    expect(await original.count()).toBe(0);
    for (let depth = 0; depth < 20 && (await original.count()) === 0; depth++) {
      const closed = sent.locator(".seam[aria-expanded=false]").first();
      const before = await sent.locator(".originals").count();
      await closed.click();
      await sent.locator(".originals").nth(before).waitFor();
    }
    expect(await original.count()).toBe(1);
    await page.close();
  });

  it("works with the keyboard alone: steps, folds, search and panes", async () => {
    const page = await session.open();
    const number = page.locator(".call-number");
    const newest = await number.inputValue();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => number.inputValue()).not.toBe(newest);
    await page.keyboard.press("[");
    await session.shown(page);
    await page.keyboard.press("/");
    await page.keyboard.type("heron token");
    await page.waitForSelector(".hit mark");
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await page.waitForSelector(".file");
    await page.keyboard.press("End");
    await expect.poll(async () => number.inputValue()).toBe(newest);
    await page.close();
  });

  it("adds up the bill by the prices that are typed in, and keeps them", async () => {
    const page = await session.open();
    await page.keyboard.press("5");
    await page.getByLabel("Price of input, scripted", { exact: true }).fill("1000000");
    expect(await page.locator("tr.reported td:nth-child(2)").textContent()).toBe("");
    await page.getByLabel("Price of output, scripted", { exact: true }).fill("0");
    const input = await page.locator("tr.reported td:nth-child(4)").textContent();
    const cost = page.locator("tr.reported td:nth-child(2)", {
      hasText: input ?? "none",
    });
    await cost.waitFor();
    await page.reload();
    await cost.waitFor();
    await page.locator("tbody:nth-child(2) tr", { hasText: /^predicted/u }).waitFor();
    await page.locator("tr", { hasText: "summaries of folds by scripted-small" }).waitFor();
    expect(await objectionsTo(page)).toEqual([]);
    await session.screenshot(page, "bill");
    await page.close();
  });

  it.each([
    ["light", 1_400],
    ["dark", 400],
  ] as const)(
    "says at a step that folded what its folds cost, %s and %i pixels wide",
    async (colorScheme, width) => {
      const page = await session.open({ width, colorScheme });
      await page.keyboard.press("5");
      for (const model of ["scripted", "scripted-small"])
        for (const kind of ["input", "output"])
          await page.getByLabel(`Price of ${kind}, ${model}`, { exact: true }).fill("1000000");
      await page.locator("h1").click();
      await page.keyboard.press("1");
      await page.keyboard.press("[");
      const tag = page.locator(".figures .tag", {
        hasText: /tokens cached anew, a summary by scripted-small read/u,
      });
      const figures = ((await tag.textContent()) ?? "").replaceAll(",", "").match(/\d+/gu)?.map(Number) ?? [];
      const [rewritten = 0, read = 0, wrote = 0, price] = figures;
      expect(rewritten * read * wrote).toBeGreaterThan(0);
      expect(price).toBe(rewritten + read + wrote);
      expect(await excessOf(page)).toBe(0);
      await session.screenshot(page, `fold-${colorScheme}-${width}`);
      await page.keyboard.press("5");
      await session.screenshot(page, `bill-${colorScheme}-${width}`);
      await page.close();
    },
  );

  it("shows hostile text as text, and runs none of it", async () => {
    const page = await session.open();
    const first = page.locator(".row .number", { hasText: /^1$/u });
    // The list scrolls to its end as soon as it is read.
    const scrolled = async () => {
      await page.locator(".list").evaluate((list) => (list.scrollTop = 0));
      return first.count();
    };
    await expect.poll(scrolled).toBe(1);
    await first.click();
    const text = (await page.locator(".detail pre").first().textContent()) ?? "";
    expect(text).toContain('<script>document.title = "owned"</script><img src=x onerror=alert(1)>');
    expect(text).toContain("\\u001b[2J\\u202egnp.exe");
    expect(hostile).toContain("\u202e");
    expect(await page.title()).toBe("Palimpsest");
    await page.close();
  });

  it("shows a report from a file, without any server", async () => {
    const path = join(session.folder, "report.html");
    writeFileSync(path, reportHtml(await buildReport(session.saver, { window: 4_000 })));
    const before = session.complaints.length;
    const page = await session.open({}, pathToFileURL(path).href);
    expect(await page.locator("nav .selected b").textContent()).toBe("one");
    await page.keyboard.press("/");
    await page.keyboard.type("heron token");
    await page.waitForSelector(".hit mark");
    await page.keyboard.press("Escape");
    await page.keyboard.press("[");
    await session.shown(page);
    await page.locator(".sent .seam[aria-expanded=false]").first().click();
    await page.locator(".sent .originals article").first().waitFor();
    await page.keyboard.press("4");
    await page.waitForSelector(".change");
    expect(session.complaints.slice(before)).toEqual([]);
    await session.screenshot(page, "report");
    await page.close();
  });

  it.each([
    ["light", 1_400],
    ["dark", 1_400],
    ["light", 400],
    ["dark", 400],
  ] as const)(
    "has nothing that axe objects to, %s and %i pixels wide, and needs no scrolling aside",
    async (colorScheme, width) => {
      const page = await session.open({ width, colorScheme });
      expect(await objectionsTo(page)).toEqual([]);
      expect(await excessOf(page)).toBe(0);
      await session.screenshot(page, `${colorScheme}-${width}`);
      await page.close();
    },
  );
});

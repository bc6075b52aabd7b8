import { chromium } from "playwright-core";

export async function launch() {
  const { PALIMPSEST_CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** Opens the page of a server, and measures until it paints, shows the newest step, holds the whole timeline, and finds words. */
export async function browse(browser, url, words) {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
  page.setDefaultTimeout(300_000);
  const started = performance.now();
  await page.goto(url);
  await page.waitForSelector(".card header .link");
  const newest = performance.now() - started;
  const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
  await page.locator(".legend .dim", { hasText: "reading" }).waitFor({ state: "detached" });
  const whole = performance.now() - started;
  // A person types for a second at least, and the page has the thread read meanwhile.
  await page.getByRole("searchbox").focus();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const searches = [];
  for (const text of words) searches.push(await search(page, text));
  await page.close();
  return { paint, newest, whole, searches };
}

/** Returns the milliseconds from the last key to the hits on the page. */
async function search(page, text) {
  const box = page.getByRole("searchbox");
  await box.fill("");
  await page.locator("p", { hasText: /messages$/u }).waitFor({ state: "detached" });
  return page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector("input[type=search]");
    const started = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".hit")) return;
      observer.disconnect();
      resolve(performance.now() - started);
    }).observe(document.body, { childList: true, subtree: true });
    box.value = ${JSON.stringify(text)};
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  })`);
}

/** Drags over the chart of a page again and again, and returns the milliseconds of each frame meanwhile, sorted. */
export async function brush(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
  page.setDefaultTimeout(300_000);
  await page.goto(url);
  await page.waitForSelector(".chart canvas");
  await page.locator(".legend .dim", { hasText: "reading" }).waitFor({ state: "detached" });
  const { x, y, width } = await page.locator(".chart .u-over").boundingBox();
  await page.evaluate(`{
    globalThis.frames_ = [];
    let last = performance.now();
    const frame = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }`);
  for (let drag = 0; drag < drags; drag++) {
    const from = x + width * (0.1 + 0.05 * drag);
    await page.mouse.move(from, y + 40);
    await page.mouse.down();
    await page.mouse.move(from + width * 0.4, y + 60, { steps: 30 });
    await page.mouse.up();
    await page.getByRole("button", { name: "whole thread" }).waitFor();
    for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "whole thread" }).click();
  }
  const frames = await page.evaluate("frames_");
  await page.close();
  return frames.toSorted((a, b) => a - b);
}

const drags = 8;

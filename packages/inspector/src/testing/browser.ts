import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type Page } from "playwright-core";

/** The browser of this machine; undefined where there is none. */
export const executable = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
}

/** The parts of a report of axe that tests read. */
interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Returns what axe objects to on a page: the rule, and the elements. */
export async function objectionsTo(page: Page): Promise<readonly unknown[]> {
  // The policy of the page lets no script in: axe is evaluated by the debugger.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate<AxeReport>("axe.run()");
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/** Returns by how many pixels a page is wider than its window. */
export async function excessOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

import { tool } from "@langchain/core/tools";
import { existsSync } from "node:fs";
import { z } from "zod";

/** The part of playwright-core that is used. It is no dependency: whoever has it gets a real browser. */
interface Playwright {
  readonly chromium: { launch(options: { readonly executablePath?: string }): Promise<Browser> };
}

interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Page {
  goto(url: string): Promise<unknown>;
  innerText(selector: string): Promise<string>;
}

interface Reader {
  readonly name: string;
  readonly read: (url: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Returns the tool `open_page` over a headless Chromium where there is one, and over plain HTTP where there is not. */
export async function openBrowser() {
  const reader = (await chromium()) ?? plainHttp;
  const openPage = tool(({ url }) => reader.read(url), {
    name: "open_page",
    description: "Returns the text of a web page.",
    schema: z.object({ url: z.string() }),
  });
  return { ...reader, openPage };
}

/** Where systems keep a browser of their own; without one, the browser that Playwright has downloaded is taken. */
const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

async function chromium(): Promise<Reader | undefined> {
  try {
    const name = "playwright-core";
    const playwright = (await import(name)) as Playwright;
    const executablePath = installed.find((path) => existsSync(path));
    const browser = await playwright.chromium.launch(executablePath === undefined ? {} : { executablePath });
    const page = await browser.newPage();
    return {
      name: "a headless Chromium",
      async read(url) {
        await page.goto(url);
        return page.innerText("body");
      },
      close: () => browser.close(),
    };
  } catch {
    return undefined;
  }
}

const plainHttp: Reader = {
  name: "plain HTTP",
  async read(url) {
    const body = await (await fetch(url)).text();
    return body
      .replace(/<head>.*<\/head>/s, "")
      .replaceAll(/<[^>]*>/g, "\n")
      .replaceAll(/\n+/g, "\n")
      .trim();
  },
  close: async () => {},
};

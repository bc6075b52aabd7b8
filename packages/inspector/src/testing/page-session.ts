import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VfsSaver } from "@palimpsest/checkpoint";
import type { Browser, Page } from "playwright-core";
import { startInspector, type Inspector } from "../server/start-inspector.js";
import { launchBrowser } from "./browser.js";

/** Milliseconds. Generous: the machine may be busy. */
export const pageTimeout = 60_000;

export interface PageSessionOptions {
  /** Writes the threads that the page shows. */
  readonly write: (saver: VfsSaver) => Promise<unknown>;
  readonly window: number;
  /** @default false: the storage is opened read-only */
  readonly canAct?: boolean;
}

export interface PageOptions {
  /** @default 1400 pixels */
  readonly width?: number;
  /** @default "light" */
  readonly colorScheme?: "light" | "dark";
}

/** An inspector of a new storage, and a browser that opens its page. */
export class PageSession {
  /** For what else a test writes. */
  readonly folder: string;
  readonly saver: VfsSaver;
  readonly inspector: Inspector;
  readonly browser: Browser;
  /** What all pages asked for. */
  readonly requests: string[] = [];
  /** Errors, lines of the console and dialogs of all pages. */
  readonly complaints: string[] = [];

  private constructor(folder: string, saver: VfsSaver, started: { inspector: Inspector; browser: Browser }) {
    this.folder = folder;
    this.saver = saver;
    this.inspector = started.inspector;
    this.browser = started.browser;
  }

  static async start({ write, window, canAct = false }: PageSessionOptions): Promise<PageSession> {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
    const path = join(folder, "agent.db");
    const writer = VfsSaver.fromPath(path);
    await write(writer);
    await writer.close();
    const saver = VfsSaver.fromPath(path, { readOnly: !canAct });
    const inspector = await startInspector({ saver, window, canAct });
    return new PageSession(folder, saver, { inspector, browser: await launchBrowser() });
  }

  /** Opens a page, by default that of the inspector, and waits for its first message. */
  async open(
    { width = 1_400, colorScheme = "light" }: PageOptions = {},
    url = this.inspector.url,
  ): Promise<Page> {
    const page = await this.browser.newPage({ colorScheme, viewport: { width, height: 880 } });
    page.setDefaultTimeout(pageTimeout);
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => this.complaints.push(message.text()));
    page.on("dialog", (dialog) => this.complaints.push(dialog.message()));
    await page.goto(url);
    await page.waitForSelector(".card header .link");
    return page;
  }

  /** Waits until the page shows the chosen step, and not the one before it. */
  async shown(page: Page): Promise<void> {
    await page.waitForSelector(".sent[aria-busy=false]");
  }

  /** Writes a screenshot into the folder of `PALIMPSEST_SCREENSHOTS`, where it is set. */
  async screenshot(page: Page, name: string): Promise<void> {
    const shots = process.env["PALIMPSEST_SCREENSHOTS"];
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.inspector.close();
    await this.saver.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

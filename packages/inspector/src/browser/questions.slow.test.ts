import type { VfsSaver } from "@palimpsest/checkpoint";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeFork } from "../acting/act-on-fork.js";
import { stepsOf } from "../reading/read-state.js";
import { excessOf, executable, objectionsTo } from "../testing/browser.js";
import { PageSession } from "../testing/page-session.js";
import { auditWindow, writeAudit } from "../testing/written-audit.js";

/** One thing that a reader does. */
type Action = (page: Page) => Promise<unknown>;

const click =
  (selector: string, hasText?: string | RegExp): Action =>
  async (page) =>
    page
      .locator(selector, hasText === undefined ? {} : { hasText })
      .first()
      .click();
const press =
  (key: string): Action =>
  async (page) =>
    page.keyboard.press(key);
const type =
  (text: string): Action =>
  async (page) =>
    page.keyboard.type(text);

interface Question {
  readonly asks: string;
  /** @default "audit" */
  readonly thread?: string;
  readonly mouse: readonly Action[];
  readonly keys: readonly Action[];
  /** Where the answer stands, and what it says. */
  readonly answer: readonly [selector: string, text: RegExp];
}

/** What an engineer on call asks. */
const questions: readonly Question[] = [
  {
    asks: "What was a call of the model sent?",
    mouse: [click(".chart .u-over")],
    keys: [press("g"), type("8"), press("Enter")],
    answer: [".sent-head", /^sent \d+ messages, [\d,]+ tokens/u],
  },
  {
    asks: "What did the model reply to it?",
    mouse: [click(".chart .u-over")],
    keys: [press("Home")],
    answer: [".replied article", /Turn \d+\./u],
  },
  {
    asks: "What failed in the thread?",
    mouse: [click(".chip.fault")],
    keys: [press("6")],
    answer: [".hit.fault", /HTTP 500 from page 3/u],
  },
  {
    asks: "Which call was sent an error?",
    mouse: [click(".chip.fault"), click(".hit.fault")],
    keys: [press("Home"), press("e")],
    answer: [".figures", /^Call.*1 error before it/u],
  },
  {
    asks: "Why was a message forgotten?",
    mouse: [click(".row.folded")],
    keys: [press("/"), type("page 7"), press("Enter")],
    answer: [".why", /In sight in calls .*Folded before call \d+ by a summary.*Kept: \d+ of \d+ facts/u],
  },
  {
    asks: "What did a fold replace?",
    mouse: [click(".sent .seam")],
    keys: [press("o")],
    answer: [".sent .originals article", /./u],
  },
  {
    asks: "What has the agent written into a file?",
    mouse: [click(".tabs button", "files"), click(".file", "/notes.md")],
    keys: [press("/"), type("write_file finding"), press("Enter")],
    answer: [".side pre", /finding 0 of the audit/u],
  },
  {
    asks: "What did the thread cost?",
    mouse: [click(".tabs button", "bill")],
    keys: [press("5")],
    answer: ["tr.reported", /^scripted16/u],
  },
  {
    asks: "What did the agent ask for again after it was folded?",
    mouse: [click(".tabs button", "rework")],
    keys: [press("7")],
    answer: [".side .hit", /summary before call \d+.*1 repeated call/u],
  },
  {
    asks: "What changed since the call before?",
    mouse: [click(".tabs button", "changes")],
    keys: [press("4")],
    answer: [".change", /^added message .*(?:assistant|result) /u],
  },
  {
    asks: "What happened on the branch that was left?",
    thread: "forked",
    mouse: [click(".lanes[data-name=branches] button")],
    keys: [press("b")],
    answer: [".figures", /^Call\s+of 12/u],
  },
  {
    asks: "What did a subagent do?",
    mouse: [click(".lanes[data-name=agents] button")],
    keys: [press("a")],
    answer: ["nav .selected", /^audit\/agent/u],
  },
];

async function writeAll(saver: VfsSaver): Promise<void> {
  await writeAudit(saver, "forked");
  const [, , , , , at] = await stepsOf(saver, "forked");
  await writeFork({ saver, window: auditWindow }, { thread: "forked", at: at?.id ?? "", action: "resume" });
  await writeAudit(saver, "audit/agent", 3);
  await writeAudit(saver, "audit", 16);
}

describe.runIf(executable)("a question of an engineer on call", () => {
  let session: PageSession;

  beforeAll(async () => {
    session = await PageSession.start({ write: writeAll, window: auditWindow });
  });
  afterAll(async () => session.close());

  it("is one of twelve, each with at most three actions by mouse and by keyboard", () => {
    expect(questions).toHaveLength(12);
    const actions = questions.flatMap(({ mouse, keys }) => [mouse.length, keys.length]);
    expect(Math.max(...actions)).toBeLessThanOrEqual(3);
  });

  it.each(questions)(
    "has its answer on the page: $asks",
    async ({ thread = "audit", mouse, keys, answer }) => {
      const [selector, text] = answer;
      for (const actions of [mouse, keys]) {
        const page = await session.open({}, session.inspector.url.replace("#", `#/${thread}?`));
        await page.locator("input.call-number").waitFor();
        for (const act of actions) await act(page);
        const found = page.locator(selector, { hasText: text }).first();
        await found.waitFor({ state: "attached" });
        expect(await found.count()).toBe(1);
        await page.close();
      }
    },
  );

  it.each([
    ["light", 1_400],
    ["dark", 390],
  ] as const)(
    "is answered in panes that axe does not object to, %s and %i pixels wide",
    async (colorScheme, width) => {
      const page = await session.open({ width, colorScheme });
      for (const [at, pane] of [
        "thread",
        "search",
        "files",
        "changes",
        "bill",
        "errors",
        "rework",
        "agents",
      ].entries()) {
        await page.keyboard.press(String(at + 1));
        await page.locator(".side .tabs [aria-pressed=true]").waitFor();
        expect(await objectionsTo(page)).toEqual([]);
        expect(await excessOf(page)).toBe(0);
        await session.screenshot(page, `${pane}-${colorScheme}-${width}`);
      }
      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keys and marks" }).waitFor();
      expect(await page.locator("dialog").evaluate((dialog) => dialog.scrollTop)).toBe(0);
      expect(await objectionsTo(page)).toEqual([]);
      await session.screenshot(page, `help-${colorScheme}-${width}`);
      await page.close();
    },
  );
});

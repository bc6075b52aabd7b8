import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import * as fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildReport } from "../report/build-report.js";
import { reportHtml } from "../report/report-html.js";
import { excessOf, executable } from "../testing/browser.js";
import { PageSession, pageTimeout } from "../testing/page-session.js";

const turns = 14;

/** Parts that do harm where they are taken for markup, scripts, styles, urls, commands or the order of other text. */
const pieces = [
  "<script>globalThis.owned=1</script>",
  "</script><script>globalThis.owned=1</script>",
  "</style><style>*{display:none}</style>",
  "<img src=x onerror=globalThis.owned=1>",
  "<svg onload=globalThis.owned=1>",
  '"><iframe srcdoc="<script>parent.owned=1</script>">',
  "<a href=javascript:globalThis.owned=1>go</a>",
  "<!--",
  "]]>",
  "{{constructor.constructor('globalThis.owned=1')()}}",
  "__proto__",
  "&lt;&#0;&amp;",
  "\u001b[2J\u001b]0;owned\u0007",
  "\u202e\u2066\u2067\u200f",
  "\u2028\u2029\ufeff",
  "\0\b\u007f\u0085\r",
  "\ud83d",
  "\udc00",
  "e\u0301\u0300".repeat(40),
  "שלום عليكم",
  "W".repeat(5_000),
  "\n".repeat(300),
  "\t".repeat(200),
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary" })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(" "));

/** Runs an agent all of whose texts, names and arguments are hostile. One line of a result has 4 MB. */
async function writeHostile(saver: VfsSaver): Promise<void> {
  const texts = fc.sample(text, turns * 8);
  const next = (): string => texts.pop() ?? "";
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files: saver.files, contextWindow: 8_000, keep: { messages: 4 } }))
    .addNode("agent", ({ messages }) => ({ messages: answer(messages.length, next) }))
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < turns; turn++)
    await graph.invoke(
      { messages: [new HumanMessage({ id: `h${turn}`, name: next(), content: `needle ${next()}` })] },
      { configurable: { thread_id: thread } },
    );
}

function answer(at: number, next: () => string): BaseMessage[] {
  const id = `c${at}`;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const call = { id, name: next(), args: { [next()]: next() } };
  const reported = { usage_metadata: usage, response_metadata: { model_name: next() } };
  const reasoning = { additional_kwargs: { reasoning_content: next() } };
  return [
    new AIMessage({ id: `a${at}`, content: next(), tool_calls: [call], ...reported, ...reasoning } as object),
    new ToolMessage({
      id: `r${at}`,
      name: call.name,
      tool_call_id: id,
      content: at === 1 ? next().repeat(2) + "X".repeat(4_000_000) : next(),
    }),
  ];
}

/** What a page may hold. Nothing that loads, links or runs; the script and the styles are those of the page itself. */
const allowed = new Set(
  "html head meta title link style body script header h1 h2 input span kbd div nav button b main section p canvas article code pre label table thead tbody tr th td mark select option"
    .toUpperCase()
    .split(" "),
);

/** Looks at what stands on the page now. */
async function expectHarmless(page: Page): Promise<void> {
  const found = await page.evaluate<{ owned: boolean; title: string; tags: string[]; text: string }>(`({
    owned: "owned" in globalThis,
    title: document.title,
    tags: [...document.querySelectorAll("*")].map((element) => element.tagName),
    text: document.body.innerText,
  })`);
  expect([found.owned, found.title]).toEqual([false, "Palimpsest"]);
  expect(found.tags.filter((tag) => !allowed.has(tag))).toEqual([]);
  expect(found.tags.filter((tag) => tag === "SCRIPT" || tag === "STYLE").length).toBeLessThanOrEqual(3);
  expect(found.text.match(/[^\t\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029\ufeff]/gu)).toBeNull();
  expect(await excessOf(page)).toBe(0);
}

const thread = `"><script>globalThis.owned=1</script>\u202e`;

describe.runIf(executable)("hostile text on the page", () => {
  let session: PageSession;
  let file = "";

  beforeAll(async () => {
    session = await PageSession.start({ write: writeHostile, window: 8_000 });
    file = join(session.folder, "report.html");
    writeFileSync(file, reportHtml(await buildReport(session.saver)));
  }, pageTimeout);
  afterAll(async () => session.close());

  it.each(["of a server", "of a report"])(
    "is shown as text in every pane, and nothing of it runs, on the page %s",
    async (kind) => {
      const page = await session.open({}, kind === "of a server" ? undefined : pathToFileURL(file).href);
      await expectHarmless(page);
      // Fixed elements: a locator counts anew whenever a seam has opened or a text is whole.
      const seams = await page.locator(".sent .seam[aria-expanded=false]").elementHandles();
      for (const seam of seams) await seam.click();
      await page.locator(".originals article").first().waitFor();
      for (const more of await page.locator(".more:enabled").elementHandles()) await more.click();
      await expectHarmless(page);
      await page.locator(".list").evaluate((list) => (list.scrollTop = 0));
      for (let row = 0; row < 12; row++) {
        await page.locator(".row .number").nth(row).click();
        await page.locator(".detail article").waitFor();
        await expectHarmless(page);
      }
      for (const [key, shown] of [
        ["3", ".file"],
        ["4", ".change"],
        ["5", "td"],
      ] as const) {
        await page.keyboard.press(key);
        await page.locator(shown).first().waitFor();
        await expectHarmless(page);
      }
      for (const words of ["needle <script>", "\u202e", "__proto__", "needle"]) {
        await page.getByRole("searchbox").fill(words);
        await page.locator("p", { hasText: /^\d+ messages$/u }).waitFor();
        await expectHarmless(page);
      }
      await page.locator(".hit").first().waitFor();
      expect(session.complaints).toEqual([]);
      const foreign = session.requests
        .map((url) => new URL(url))
        .filter(({ protocol, host }) => protocol !== "file:" && host !== new URL(session.inspector.url).host);
      expect(foreign).toEqual([]);
      await page.close();
    },
  );
});

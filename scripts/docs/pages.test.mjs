// The pages that users read outside the inspector, in a browser: the site, the report of the evals, and those of audits and replays.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../evals/dist/report/environment.js";
import { page as evalPage } from "../../evals/dist/report/page.js";
import {
  excessOf,
  executable,
  launchBrowser,
  objectionsTo,
} from "../../packages/inspector/dist/testing/browser.js";
import { madeStory, writeClaudeCode, writeCodex } from "../../packages/sessions/dist/testing/index.js";
import { root } from "../run.mjs";

const types = { html: "text/html", js: "text/javascript", css: "text/css" };
const looks = [
  ["light", 1_440],
  ["dark", 390],
];

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(status, `${args.join(" ")}:\n${stdout}\n${stderr}`).toBe(0);
}

/** Serves the site as a host of static files does, which finds pages without their extension. */
async function serveSite() {
  const site = join(root, "site/dist");
  const server = createServer(({ url }, response) => {
    const path = join(site, decodeURI(url.replace(/[?#].*/, "")).replace(/\/$/, "/index"));
    const file = [path, `${path}.html`].find((one) => /\.\w+$/.test(one) && existsSync(one));
    response.setHeader("content-type", types[file?.split(".").at(-1)] ?? "application/octet-stream");
    response.writeHead(file === undefined ? 404 : 200);
    response.end(file && readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** A report with tables of every group, a long one, and a chart. */
function evalReport() {
  const comparison = { measure: "kept", unit: "share", better: "higher", ours: 0.9, margin: 0.01 };
  const rivals = [{ name: "another system with a long name", value: 0.5 }];
  const rows = Array.from({ length: 20 }, (_, at) => [`policy ${at}`, at, "the result of a case in words"]);
  const result = {
    suite: "probe",
    question: "What is kept?",
    cases: 20,
    passed: true,
    tables: [rows, rows.slice(0, 3)].map((some) => ({
      title: `${some.length} rows`,
      columns: ["policy", "recall", "what came of it"],
      rows: some,
    })),
    charts: [
      {
        title: "Recall by steps",
        x: { label: "steps", scale: "log" },
        y: { label: "share", scale: "linear" },
        series: [{ label: "Palimpsest", points: [1, 10, 100].map((x) => ({ x, y: 1 / x })) }],
      },
    ],
    comparisons: ["share", "tokens", "ms"].map((unit) => ({ ...comparison, unit, rivals })),
    numbers: {},
  };
  return evalPage([
    { result, seconds: 1, cpuSeconds: 1, data: false, quick: false, environment: environment() },
  ]);
}

describe.runIf(executable)("a page outside the inspector", () => {
  let folder;
  let server;
  let browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-pages-"));
    const [one, other] = [join(folder, "one.jsonl"), join(folder, "other.jsonl")];
    writeFileSync(one, writeClaudeCode(madeStory({ lines: 40 })));
    writeFileSync(other, writeCodex(madeStory()));
    const palimpsest = join(root, "packages/cli/dist/main.js");
    run(palimpsest, "audit", one, "--html", join(folder, "audit.html"));
    run(palimpsest, "audit", one, other, "--html", join(folder, "audits.html"));
    run(palimpsest, "replay", one, "--html", join(folder, "replay.html"));
    run(palimpsest, "replay", one, other, "--html", join(folder, "replays.html"));
    writeFileSync(join(folder, "report.html"), evalReport());
    run(join(root, "scripts/docs/site.mjs"));
    server = await serveSite();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function look(url, [colorScheme, width]) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    await page.goto(url);
    await page.locator("h1").waitFor();
    const [objections, excess] = [await objectionsTo(page), await excessOf(page)];
    const shots = process.env["PALIMPSEST_SCREENSHOTS"];
    const name = new URL(url).pathname.replace(/\W+/g, "-");
    if (shots !== undefined) await page.screenshot({ path: join(shots, `page${name}-${width}.png`) });
    await page.close();
    return { objections, excess };
  }

  it.each(["audit", "audits", "replay", "replays", "report"])(
    "has nothing that axe objects to and fits its window: %s",
    async (name) => {
      const url = pathToFileURL(join(folder, `${name}.html`)).href;
      for (const how of looks) expect(await look(url, how)).toEqual({ objections: [], excess: 0 });
    },
  );

  it.each([
    "/",
    "/overview",
    "/docs/guides/your-graph",
    "/docs/evidence",
    "/docs/decisions/",
    "/packages/cli/",
    "/packages/inspector/",
    "/site/api/",
    "/site/api/cli/src",
    "/site/api/inspector/src",
  ])("has nothing that axe objects to and fits its window: %s of the site", async (path) => {
    const url = `http://127.0.0.1:${server.address().port}${path}`;
    for (const how of looks) expect(await look(url, how)).toEqual({ objections: [], excess: 0 });
  });
});

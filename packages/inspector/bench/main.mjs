// Measures the page and the command line on a long thread, and prints each number beside its goal:
// node bench/main.mjs [--checkpoints 10000 | --storage FILE] [--rows 100000] [--imported 1000]
// A storage that was measured before has the thread "bench". Measure on a quiet machine.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL, URL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { brush, browse, launch } from "./browse.mjs";
import { runNode, startNode } from "./run-node.mjs";
import { wideReport } from "./wide-report.mjs";
import { contextWindow, writeThread } from "./write-thread.mjs";

const { values } = parseArgs({
  options: {
    checkpoints: { type: "string", default: "10000" },
    storage: { type: "string" },
    rows: { type: "string", default: "100000" },
    imported: { type: "string", default: "1000" },
  },
});
const file = (path) => new URL(path, import.meta.url).pathname;
const palimpsest = file("../../cli/dist/main.js");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
const browser = await launch();
try {
  await measurePage();
  await measureBrushing();
  await measureImport();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measurePage() {
  const path = values.storage ?? (await writtenStorage());
  say(`a storage of ${megabytes(statSync(path).size)} MB`);
  say(
    `page, compressed: ${Math.round(gzipSync(readFileSync(file("../dist/page.html"))).length / 1_000)} KB`,
    "100 KB",
  );
  const server = startNode(file("serve.mjs"), [path, String(contextWindow)]);
  while (!server.output().includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20));
  const idle = server.residentMb();
  const { paint, newest, whole, searches } = await browse(browser, server.output().trim(), [
    "page",
    "w31 w62",
    "read",
  ]);
  say(`first paint: ${Math.round(paint)} ms`, "300 ms");
  say(`newest step on the page: ${Math.round(newest)} ms; whole timeline: ${Math.round(whole)} ms`);
  const [first = 0, ...later] = searches;
  say(
    `search: ${later.map((ms) => Math.round(ms)).join(" and ")} ms; the first one, a second after the box is entered, ${Math.round(first)} ms`,
    "100 ms",
  );
  const after = server.residentMb();
  server.child.stdin.end();
  const { cpuMs, peakMb } = await server.ended();
  say(
    `server: ${Math.round(after)} MB, ${Math.round(idle)} MB at first, ${Math.round(peakMb)} MB at most; ${Math.round(cpuMs)} ms of processor`,
    "150 MB",
  );
  await measureCommands(path);
}

async function writtenStorage() {
  const path = join(folder, "agent.db");
  const written = await writeThread(path, { thread: "bench", checkpoints: Number(values.checkpoints) });
  say(`a thread of ${written} checkpoints`);
  return path;
}

async function measureCommands(path) {
  const verified = await runNode(palimpsest, ["verify", path, "--json"]);
  const { bytes } = JSON.parse(verified.output);
  say(
    `verify: ${rate(bytes, verified.ms)} MB/s, ${rate(bytes, verified.cpuMs)} MB for each second of processor, ${megabytes(bytes)} MB, ${Math.round(verified.peakMb)} MB of memory`,
    "50 MB/s",
  );
}

async function measureImport() {
  const [path, other] = [join(folder, "short.db"), join(folder, "other.db")];
  const written = await writeThread(path, { thread: "bench", checkpoints: Number(values.imported) });
  await runNode(palimpsest, ["export", path, "--saver", other]);
  const { ms, cpuMs } = await runNode(palimpsest, ["import", join(folder, "imported.db"), other]);
  const each = (time) => Math.round((10 * time) / written) / 10;
  say(`import of ${written} checkpoints, each compared: ${each(ms)} ms each, ${each(cpuMs)} ms of processor`);
}

async function measureBrushing() {
  const page = join(folder, "wide.html");
  writeFileSync(page, wideReport(Number(values.rows)));
  const frames = await brush(browser, pathToFileURL(page).href);
  const at = (share) => Math.round(frames[Math.floor(share * (frames.length - 1))] * 10) / 10;
  const rate = Math.round((1_000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0));
  say(
    `brushing ${values.rows} steps: ${rate} frames a second; a frame takes ${at(0.5)} ms, of a hundred one ${at(0.99)} ms`,
    "60",
  );
}

function say(text, goal) {
  process.stdout.write(`${text}${goal === undefined ? "" : ` (goal: ${goal})`}\n`);
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}

function rate(bytes, ms) {
  return Math.round(bytes / 1e3 / ms);
}

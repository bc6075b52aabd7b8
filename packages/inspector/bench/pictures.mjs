// Draws the pictures of the documentation from a storage of the demo: node bench/pictures.mjs agent.db
// It shows the newest call after a fold, with the first fold opened, beside the thread as it happened.
import { join } from "node:path";
import { URL } from "node:url";
import { launch } from "./browse.mjs";
import { startNode } from "./run-node.mjs";

const folder = new URL("../../../docs/images/", import.meta.url).pathname;
const server = startNode(new URL("serve.mjs", import.meta.url).pathname, [process.argv[2] ?? "", "32000"]);
while (!server.output().includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20));
const url = server.output().trim();
const browser = await launch();
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1_400, height: 800 } });
  await page.goto(url);
  await page.locator("input.call-number").waitFor();
  for (let more = 0; more < 3; more++) await page.keyboard.press("[");
  await page.locator(".figures", { hasText: "folded" }).waitFor();
  // The messages of the step before stay until those of this one are read.
  await page.waitForTimeout(1_000);
  await page.keyboard.press("o");
  await page.locator(".sent .originals article").first().waitFor();
  await page.locator(".sent .seam").first().scrollIntoViewIfNeeded();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `inspector-${colorScheme}.png`) });
}
await browser.close();
server.child.stdin.end();
await server.ended();

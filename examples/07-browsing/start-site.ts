import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Sections of the shop, and items in each. */
export const sections = 5;
export const items = 8;

/** Starts a made-up shop on a free port: a list of sections, a list of items in each, and a long page for every item. */
export async function startSite() {
  const server = createServer((request, response) => {
    const html = pageOf(request.url ?? "/");
    response.writeHead(html === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(html ?? "<p>Not found</p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  };
}

function pageOf(path: string): string | undefined {
  const [, section, item] = /^\/(?:section-(\d+)(?:\/item-(\d+))?)?$/.exec(path) ?? [
    path === "/" ? "" : undefined,
  ];
  if (path === "/")
    return html(
      "The shop",
      list(sections, (at) => `/section-${at}`),
    );
  const [sectionNumber, itemNumber] = [Number(section), Number(item)];
  if (!(sectionNumber >= 1 && sectionNumber <= sections)) return undefined;
  if (item === undefined)
    return html(
      `Section ${section}`,
      list(items, (at) => `/section-${section}/item-${at}`),
    );
  if (!(itemNumber >= 1 && itemNumber <= items)) return undefined;
  return html(`Item ${item} of section ${section}`, itemLines(sectionNumber, itemNumber));
}

function itemLines(section: number, item: number): readonly string[] {
  const kind = ["chair", "table", "vase", "clock"][(section + item) % 4];
  const lines = Array.from(
    { length: 30 },
    (_, line) =>
      `A ${kind} of batch ${section}${item}${line}, oak and brass, sold for ${20 + ((section * 7 + item * 3 + line) % 60)} euros.`,
  );
  if (section === 1 && item === 3) lines.splice(11, 0, "Voucher V-4821 takes 15 euros off a lamp by Hollis.");
  if (section === 5 && item === 6) lines.splice(20, 0, "The lamp by Hollis costs 120 euros.");
  return lines;
}

function list(length: number, linkTo: (at: number) => string): readonly string[] {
  return Array.from({ length }, (_, at) => `<a href="${linkTo(at + 1)}">${linkTo(at + 1)}</a>`);
}

function html(title: string, lines: readonly string[]): string {
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1>${lines.map((line) => `<p>${line}</p>`).join("\n")}</body></html>`;
}

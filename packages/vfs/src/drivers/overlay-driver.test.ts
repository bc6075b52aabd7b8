import { expect, it } from "vitest";
import { pathsOf } from "./file-driver.js";
import { MemoryDriver } from "./memory-driver.js";
import { overlayDriver } from "./overlay-driver.js";

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const read = async (bytes: Promise<Uint8Array | undefined>) => Buffer.from((await bytes) ?? []).toString();

it("an overlay shows its texts among the files of its driver, in place of those with the same path, and writes none", async () => {
  const driver = new MemoryDriver();
  for (const path of ["/a/1", "/a/3", "/a/4"]) await driver.write(path, Buffer.from(`stored ${path}`));
  const overlay = overlayDriver(
    driver,
    new Map([
      ["/a/2", "held äö"],
      ["/a/3", "held"],
      ["/a/5", "held"],
      ["/b/1", "held"],
    ]),
  );
  const listed = await all(overlay.list("/a"));
  expect(listed.map(({ path, size }) => [path, size])).toEqual([
    ["/a/1", 11],
    ["/a/2", 9],
    ["/a/3", 4],
    ["/a/4", 11],
    ["/a/5", 4],
  ]);
  const paths = (await all(pathsOf(overlay, "/a"))).flat();
  expect(paths.toSorted()).toEqual(listed.map(({ path }) => path));
  expect(await read(overlay.read("/a/2"))).toBe("held äö");
  expect(await read(overlay.read("/a/3", { start: 1, end: 3 }))).toBe("el");
  expect(await read(overlay.read("/a/4"))).toBe("stored /a/4");
  expect(await overlay.stat("/b/1")).toMatchObject({ path: "/b/1", size: 4 });
  expect(await overlay.stat("/b/2")).toBeUndefined();
  expect(await driver.stat("/a/2")).toBeUndefined();
});

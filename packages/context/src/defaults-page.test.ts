import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { defaults } from "./options.js";

const page = await readFile(new URL("../../../docs/defaults.md", import.meta.url), "utf8");

it("states each default with its value and a reason on the page of defaults", () => {
  const rows = [...page.matchAll(/^\| `(\w+)`\s*\| `?([^|`]+?)`?\s*\| ([^|]{30,}?)\s*\|$/gm)];
  const stated = Object.fromEntries(rows.map(([, name, value]) => [name, value?.replaceAll("_", "")]));
  const actual = Object.entries(defaults).map(([name, value]) => [
    name,
    typeof value === "number" ? String(value) : `fraction: ${value.fraction}`,
  ]);
  expect(stated).toEqual(Object.fromEntries(actual));
});

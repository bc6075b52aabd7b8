import { describe, expect, it } from "vitest";
import { folderOf, manifest } from "../testing/package-folder.js";
import { chooseJob } from "./choose-job.js";
import { findPackages } from "./find-packages.js";
import { groundTruth } from "./ground-truth.js";

const root = folderOf({
  "alpha/package.json": manifest("alpha", {
    license: "MIT",
    exports: { ".": { types: "./a.d.ts", import: { types: "./a.d.mts", default: "./a.mjs" } } },
  }),
  "alpha/a.js": "const x = 1;\nexport function middle() {}\nfunction later() {}\n",
  "alpha/big.txt": "x".repeat(900),
  "alpha/node_modules/beta/package.json": manifest("beta", { version: "9.0.0" }),
  "beta/package.json": manifest("beta", { licenses: [{ type: "ISC" }], main: "lib/b.js" }),
  "beta/lib/b.js": 'class Thing {}\nconst a = require("alpha/sub");\n',
  "gamma/package.json": manifest("gamma", { license: { type: "BSD" }, module: "g.mjs", main: "g.js" }),
  "gamma/g.js": "import { middle } from 'alpha';\nimport y from \"alphabet\";\nexport class Gamma {}\n",
  "empty/package.json": manifest("empty"),
});

describe("the job", () => {
  const packages = chooseJob(findPackages(root), 10);

  it("passes over packages without a definition, and is the same every time", () => {
    expect(packages.map(({ name, symbol }) => `${name} ${symbol}`)).toEqual([
      "alpha middle",
      "beta Thing",
      "gamma Gamma",
    ]);
    expect(chooseJob(findPackages(root), 10)).toEqual(packages);
    expect(chooseJob(findPackages(root), 2)).toHaveLength(2);
  });

  it("has the answers that the files hold", () => {
    const truth = groundTruth(packages);
    expect(truth.get("alpha")).toEqual({
      licence: "MIT",
      version: "1.0.0",
      entry: "./a.mjs",
      largest: "big.txt 900",
      importedBy: "beta, gamma",
      symbol: "a.js:2",
    });
    expect(truth.get("beta")).toMatchObject({ licence: "ISC", entry: "lib/b.js", importedBy: "-" });
    expect(truth.get("gamma")).toMatchObject({ licence: "BSD", entry: "g.mjs", symbol: "g.js:3" });
  });
});

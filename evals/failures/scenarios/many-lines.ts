import type { Scenario } from "../scenario.js";
import { largeResult } from "./large-result.js";

export const manyLines: Scenario = largeResult({
  title: "A value in the middle of an 800 KB text of many lines",
  textOf: (rows) => rows.join("\n"),
});

import type { Scenario } from "../scenario.js";
import { largeResult } from "./large-result.js";

export const oneLineJson: Scenario = largeResult({
  title: "A value in the middle of an 800 KB JSON on one line",
  textOf: (rows) => JSON.stringify({ rows }),
});
